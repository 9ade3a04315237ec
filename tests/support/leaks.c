/* For LeakSanitizer, in all tests: what Fontconfig keeps for the process's life, once a figure was
 * drawn, is no leak of ours. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
