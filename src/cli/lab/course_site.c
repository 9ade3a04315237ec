/* `tesela lab site`: the course as pages for a browser. */
#include "cli/lab/course_command.h"
#include "lab/course/site.h"

int lab_site_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    if (!course_open(&work, self, argc, argv, false, &exit_status)) {
        return exit_status;
    }
    if (work.options.output == NULL) {
        cli_error("lab site: give a folder: tesela lab site -o FOLDER");
        return course_close(&work, TSL_OK, CLI_USAGE);
    }
    tsl_lab_grade_options options;
    course_grade_options(&options, &work);
    options.output = "/dev/null";
    cli_defer_signals(true);
    const tsl_status status =
        tsl_lab_site_write(work.context, &work.course, work.options.output, &options);
    return course_close(&work, status, CLI_DONE);
}
