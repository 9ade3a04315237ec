/* `tesela lab run --device cuda:N`: a file on a card, beside the simulated device. */
#include <stdio.h>
#include <string.h>

#include "cli/lab/run_command.h"
#include "io/file/input.h"

tsl_status lab_run_card_find(lab_run_work *work, bool (*stop)(void))
{
    lab_run_options *o = work->options;
    const tsl_status status = tsl_lab_card_find(&work->card, work->context, &work->build, o->card,
                                                stop, "leave --device out to run without a card");
    if (status == TSL_OK) {
        snprintf(o->capability, sizeof o->capability, "%s", work->card.capability);
        snprintf(work->output, sizeof work->output, "%s/output.txt", work->build.folder);
        cli_note("on the card the program is not kept from files, processes and the network");
    }
    return status;
}

/* Copy what the program printed in its first simulated run to where it would have gone. */
static tsl_status show_output(const lab_run_work *work)
{
    tsl_input *input = NULL;
    char text[4096];
    size_t bytes = 0;
    tsl_status status = tsl_input_open(&input, work->context, work->output);
    while (status == TSL_OK) {
        status = tsl_input_read(input, text, sizeof text, &bytes);
        if (status != TSL_OK || bytes == 0) {
            break;
        }
        fwrite(text, 1, bytes, cli_summary_stream(&work->options->common));
    }
    tsl_input_close(input);
    return status;
}

tsl_status lab_run_card_run(lab_run_work *work, const tsl_lab_session_options *session)
{
    const tsl_status status = show_output(work);
    cli_flush(stdout);
    return status == TSL_OK
               ? tsl_lab_card_run(&work->card, work->context, &work->build, session, work->output)
               : status;
}

bool lab_run_card_agrees(const lab_run_work *work)
{
    const tsl_lab_card *card = &work->card;
    return work->options->card < 0 ||
           (!card->late && !card->long_output && card->different_line == 0 &&
            card->exit_status == work->session.exit_status[0]);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void simulated_counters(int64_t out[TSL_LAB_CARD_COUNTERS], const tsl_lab_launched *l)
{
    out[0] = l->global_read_sectors;
    out[1] = l->global_write_sectors;
    out[2] = l->shared_wavefronts;
    out[3] = l->bank_conflicts;
}

static void print_counters(FILE *stream, const lab_run_work *work)
{
    const tsl_lab_card *card = &work->card;
    const tsl_lab_session *s = &work->session;
    const int64_t most =
        s->launch_count < card->launch_count ? s->launch_count : card->launch_count;
    if (s->launch_count != card->launch_count) {
        fprintf(stream, "launches: %lld simulated, %lld on the card\n", (long long)s->launch_count,
                (long long)card->launch_count);
    }
    fprintf(stream, "%-32s %-22s %14s %14s\n", "kernel", "counter", "simulated", "card");
    for (int64_t i = 0; i < most && i < LAB_RUN_MOST_SHOWN; i++) {
        int64_t ours[TSL_LAB_CARD_COUNTERS];
        simulated_counters(ours, &s->launches[i]);
        for (int k = 0; k < TSL_LAB_CARD_COUNTERS; k++) {
            fprintf(stream, "%-32.32s %-22s %14lld %14lld\n", k == 0 ? s->launches[i].kernel : "",
                    tsl_lab_card_names[k], (long long)ours[k],
                    (long long)card->launches[i].counter[k]);
        }
    }
}

void lab_run_card_print(FILE *stream, const lab_run_work *work)
{
    const tsl_lab_card *card = &work->card;
    fprintf(stream, "%s (cuda:%d, capability %s): ", card->name, card->number, card->capability);
    if (card->late) {
        fprintf(stream, "ended after %d s\n", work->options->seconds);
    } else if (card->long_output) {
        fprintf(stream, "ended after it had printed %d MiB\n", (int)(TSL_LAB_CARD_OUTPUT >> 20));
    } else {
        fprintf(stream, "exit status %d, simulated %d; %.2f s\n", card->exit_status,
                work->session.exit_status[0], card->seconds);
    }
    if (card->different_line > 0) {
        fprintf(stream, "output differs at line %lld\n  simulated: %s\n  card:      %s\n",
                (long long)card->different_line, card->simulated, card->real);
    } else {
        fprintf(stream, "output is the same\n");
    }
    if (card->counted) {
        print_counters(stream, work);
    } else {
        fprintf(stream, "no counters of the card: %s\n", card->why);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

void lab_run_card_write(tsl_json *json, const lab_run_work *work)
{
    const tsl_lab_card *card = &work->card;
    tsl_json_open_object(json, "card");
    tsl_json_string(json, "name", card->name);
    tsl_json_integer(json, "number", card->number);
    tsl_json_string(json, "capability", card->capability);
    tsl_json_known_integer(json, "exit_status", card->exit_status,
                           !card->late && !card->long_output);
    tsl_json_number(json, "seconds", card->seconds);
    tsl_json_known_integer(json, "different_line", card->different_line, card->different_line > 0);
    tsl_json_string(json, "no_counters", card->counted ? NULL : card->why);
    tsl_json_open_array(json, "launches");
    for (int64_t i = 0; card->counted && i < card->launch_count; i++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "kernel", card->launches[i].kernel);
        for (int k = 0; k < TSL_LAB_CARD_COUNTERS; k++) {
            tsl_json_integer(json, tsl_lab_card_names[k], card->launches[i].counter[k]);
        }
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}
