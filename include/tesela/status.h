/** @file status.h
 *  Status codes, version and linkage: included by every other header of tesela.
 *
 *  Every function that can fail returns a tsl_status: 0 is success, negative is failure. The
 *  library never exits, aborts or prints. After a failure tsl_last_error() (context.h) returns one
 *  line that names the cause and the remedy.
 */
#ifndef TESELA_STATUS_H
#define TESELA_STATUS_H

#if defined(__GNUC__) && !defined(TSL_STATIC)
#define TSL_API __attribute__((visibility("default")))
#else
#define TSL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call. Output arguments are untouched after a failure unless the function says
 *  otherwise. */
typedef enum tsl_status {
    TSL_OK = 0,
    TSL_E_ARG = -1,         /**< an argument is outside its documented range */
    TSL_E_NOMEM = -2,       /**< host or device memory is exhausted, or a stated bound is too
                                 small */
    TSL_E_IO = -3,          /**< a file cannot be opened, read or written */
    TSL_E_FORMAT = -4,      /**< a file's content is not what its format asks for */
    TSL_E_UNSUPPORTED = -5, /**< valid, but not available in this build or on this device */
    TSL_E_DEVICE = -6,      /**< the device is missing or failed */
    TSL_E_COMM = -7,        /**< communication between ranks failed */
    TSL_E_NOCONV = -8,      /**< an iteration did not converge */
    TSL_E_INTERNAL = -9,    /**< a defect of tesela itself */
    TSL_E_CANCELLED = -10   /**< a callback asked to stop */
} tsl_status;

/** Name of a status, e.g. "TSL_E_FORMAT"; "unknown status" for any other number.
 *  The string is static. Thread-safe. */
TSL_API const char *tsl_status_name(tsl_status status);

/** Version of the library as "MAJOR.MINOR.PATCH". The string is static. Thread-safe. */
TSL_API const char *tsl_version(void);

#ifdef __cplusplus
}
#endif

#endif
