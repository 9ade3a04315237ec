/* Includes one public header, TSL_HEADER, with nothing before it, twice. */
#include TSL_HEADER
#include TSL_HEADER

int main(void)
{
    return 0;
}
