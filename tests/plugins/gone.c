/* A library that a plug-in needs and does not find. */
int tsl_test_gone(void);

__attribute__((visibility("default"))) int tsl_test_gone(void)
{
    return 1;
}
