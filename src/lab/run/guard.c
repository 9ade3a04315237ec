/* What a learner's program may not do: faults are told with their place, and the kernel refuses
 * what reaches out of the program (processes, the network, files that are written). */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "lab/run/memory.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* ---- faults --------------------------------------------------------------------------------- */

static uintptr_t pc_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

/* A thread that faulted goes no further; the handler returns into this, on the fiber's stack. */
static void end_launch(void)
{
    tsl_now.failed = true;
    tsl_now.sticky = 700;
    tsl_stop();
}

static void return_into(ucontext_t *context, void (*function)(void), uintptr_t stack)
{
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)((stack & ~(uintptr_t)15) - 8);
#else
    context->uc_mcontext.pc = (uintptr_t)function;
    context->uc_mcontext.sp = stack & ~(uintptr_t)15;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    char text[320];
    const uintptr_t address = (uintptr_t)info->si_addr;
    const uintptr_t pc = pc_of(context) + 1; /* as the other reports' return addresses */
    tsl_fiber *const fiber = tsl_now.current;
    const tsl_block *const block = tsl_now.block;
    if (number == SIGFPE) {
        tsl_report("fault", pc, 0, "an integer is divided by 0");
    } else if (fiber != NULL && address >= fiber->stack - TSL_STACK &&
               address < fiber->stack + TSL_STACK) {
        tsl_report("stack", pc, 0, "local variables of a thread take more than %d bytes",
                   TSL_STACK);
    } else if (fiber != NULL && info->si_code == SI_KERNEL) { /* vectors must be aligned */
        tsl_report(
            "misaligned", pc, 0,
            "access by thread %u of block %llu at an address that is not a multiple of its size",
            fiber->thread, (unsigned long long)block->number);
    } else if (fiber != NULL &&
               address - tsl_now.constant_begin < tsl_now.constant_end - tsl_now.constant_begin) {
        tsl_report("constant", pc, 0, "thread %u writes to constant memory", fiber->thread);
    } else if (fiber != NULL) {
        tsl_memory_describe(text, sizeof text, address, 1);
        tsl_report("bounds", pc, 0, "access out of bounds by thread %u of block %llu: %s",
                   fiber->thread, (unsigned long long)block->number, text);
    } else if (tsl_memory_is_closed(address)) {
        tsl_report("host", pc, 0,
                   "the host touches memory of the device: copy it with cudaMemcpy() first");
    } else {
        tsl_report("fault", pc, 0, "the host touches address %#llx, which it has not allocated",
                   (unsigned long long)address);
    }
    if (fiber == NULL) {
        tsl_write_line("died");
        _exit(3);
    }
    return_into(context, end_launch, fiber->stack + TSL_STACK - 256);
}

/* The parent's limit of time is over: say where the program is, and end. */
static void on_time(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    const tsl_fiber *const fiber = tsl_now.current;
    const tsl_block *const block = tsl_now.block;
    if (fiber != NULL) {
        /* it may be in the runtime: a loop that waits for a value is told by its access, too */
        tsl_report("time", pc_of(context), fiber->strong_run > 0 ? fiber->strong_pc : 0,
                   "thread %u of block %llu still runs here", fiber->thread,
                   (unsigned long long)block->number);
    } else if (block != NULL) {
        uintptr_t pc = 0;
        for (uint32_t t = 0; t < block->threads && pc == 0; t++) {
            const tsl_fiber *f = &block->fibers[t];
            const bool waits =
                (f->warp->ready >> f->lane & 1) != 0 || (f->warp->access >> f->lane & 1) != 0;
            pc = waits ? f->strong_pc : 0;
        }
        tsl_report("time", pc, 0, "block %llu still waits here", (unsigned long long)block->number);
    } else if (tsl_now.waiting) { /* those that it waits for tell, and end too */
        while (wait(NULL) > 0 || errno == EINTR) {
        }
    } else {
        tsl_report("time", pc_of(context), 0, "the host still runs here");
    }
    tsl_write_line("died");
    _exit(3);
}

/* ---- system calls --------------------------------------------------------------------------- */

/* What of a call is refused. */
enum refusal {
    ALL,
    TO_WRITE,      /* files that are opened to be written */
    PROCESSES,     /* all but threads of libraries and the runtime's own way */
    UNSEEN,        /* its arguments are out of sight: it is said to be unknown */
    OTHERS,        /* where the first argument is another process */
    SHARED,        /* memory that no limit of the process counts */
    TYPED,         /* what puts characters into a terminal */
    RESULTS_FIRST, /* where this argument, or one of the next two, is the file of results */
    RESULTS_SECOND,
    RESULTS_THIRD,
    RESULTS_WRITTEN /* as the first, but for the runtime's own way */
};

#if !defined(SYS_memfd_secret)
#define SYS_memfd_secret 447
#endif

static const struct {
    long number;
    enum refusal refusal;
    const char *what;
} refused[] = {
#if defined(SYS_fork)
    {SYS_fork, ALL, "to start a process"},
    {SYS_vfork, ALL, "to start a process"},
    {SYS_unlink, ALL, "to remove a file"},
    {SYS_rename, ALL, "to rename a file"},
    {SYS_mkdir, ALL, "to make a folder"},
    {SYS_rmdir, ALL, "to remove a folder"},
    {SYS_creat, ALL, "to write a file"},
    {SYS_mknod, ALL, "to write a file"},
    {SYS_chmod, ALL, "to change a file"},
    {SYS_chown, ALL, "to change a file"},
    {SYS_lchown, ALL, "to change a file"},
    {SYS_utime, ALL, "to change a file"},
    {SYS_utimes, ALL, "to change a file"},
    {SYS_link, ALL, "to make a link"},
    {SYS_symlink, ALL, "to make a link"},
    {SYS_open, TO_WRITE, "to write a file"},
    {SYS_dup2, RESULTS_SECOND, "to write over what is found of it"},
#endif
    {SYS_renameat, ALL, "to rename a file"},
    {SYS_clone, PROCESSES, "to start a process"},
#if defined(SYS_clone3)
    {SYS_clone3, UNSEEN, "to start a process"},
#endif
    {SYS_execve, ALL, "to start a program"},
    {SYS_execveat, ALL, "to start a program"},
    {SYS_ptrace, ALL, "to look into a process"},
    {SYS_process_vm_readv, ALL, "to look into a process"},
    {SYS_process_vm_writev, ALL, "to write to a process"},
    {SYS_kill, ALL, "to send a signal"},
    {SYS_tkill, ALL, "to send a signal"},
    {SYS_tgkill, OTHERS, "to send a signal"},
    {SYS_rt_sigqueueinfo, ALL, "to send a signal"},
    {SYS_rt_tgsigqueueinfo, ALL, "to send a signal"},
    {SYS_socket, ALL, "to use the network"},
    {SYS_connect, ALL, "to use the network"},
    {SYS_unlinkat, ALL, "to remove a file"},
    {SYS_renameat2, ALL, "to rename a file"},
    {SYS_mkdirat, ALL, "to make a folder"},
    {SYS_mknodat, ALL, "to write a file"},
    {SYS_linkat, ALL, "to make a link"},
    {SYS_symlinkat, ALL, "to make a link"},
    {SYS_truncate, ALL, "to change a file"},
    {SYS_ftruncate, ALL, "to change a file"},
    {SYS_fallocate, ALL, "to change a file"},
    {SYS_fchmod, ALL, "to change a file"},
    {SYS_fchmodat, ALL, "to change a file"},
    {SYS_fchown, ALL, "to change a file"},
    {SYS_fchownat, ALL, "to change a file"},
    {SYS_utimensat, ALL, "to change a file"},
    {SYS_setxattr, ALL, "to change a file"},
    {SYS_lsetxattr, ALL, "to change a file"},
    {SYS_fsetxattr, ALL, "to change a file"},
    {SYS_openat, TO_WRITE, "to write a file"},
    {437 /* openat2 */, ALL, "to write a file"},
    {425 /* io_uring_setup */, ALL, "to write a file"},
    {SYS_mount, ALL, "to mount"},
    {SYS_umount2, ALL, "to mount"},
    {429 /* move_mount */, ALL, "to mount"},
    {430 /* fsopen */, ALL, "to mount"},
    {SYS_chroot, ALL, "to leave its folders"},
    {SYS_unshare, ALL, "to leave its folders"},
    {SYS_setns, ALL, "to leave its folders"},
    {SYS_setpgid, ALL, "to leave its group of processes"},
    {SYS_setsid, ALL, "to leave its group of processes"},
    {SYS_reboot, ALL, "to stop the machine"},
    {SYS_settimeofday, ALL, "to set the clock"},
    {SYS_clock_settime, ALL, "to set the clock"},
    {SYS_ioctl, TYPED, "to type into a terminal"},
    {SYS_mmap, SHARED, "to take memory without bounds"},
    {SYS_shmget, ALL, "to take memory without bounds"},
    {SYS_memfd_create, ALL, "to take memory without bounds"},
    {SYS_memfd_secret, ALL, "to take memory without bounds"},
    {SYS_write, RESULTS_WRITTEN, "to write over what is found of it"},
    {SYS_writev, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_pwrite64, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_pwritev, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_pwritev2, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_sendfile, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_vmsplice, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_splice, RESULTS_THIRD, "to write over what is found of it"},
    {SYS_copy_file_range, RESULTS_THIRD, "to write over what is found of it"},
    {SYS_close, RESULTS_FIRST, "to write over what is found of it"},
    {436 /* close_range */, UNSEEN, "to write over what is found of it"},
    {SYS_dup, RESULTS_FIRST, "to write over what is found of it"},
    {SYS_dup3, RESULTS_SECOND, "to write over what is found of it"},
    {SYS_fcntl, RESULTS_FIRST, "to write over what is found of it"},
};
enum { MOST_FILE = 128 << 20 }; /* bytes of what is handed over, and of what is told */
enum { REFUSED = sizeof refused / sizeof *refused, MOST_STEPS = 8 };

static void on_refused(int number, siginfo_t *info, void *context)
{
    const char *what = "something";
    (void)number;
    for (int i = 0; i < REFUSED; i++) {
        what = refused[i].number == info->si_syscall ? refused[i].what : what;
    }
    (void)context;
    tsl_write_line("refused %s", what);
    _exit(3);
}

static void *hold;

/* Handlers need a stack of their own, for fibers' are small. */
static void catch_signals(void)
{
    enum { STACK = 64 << 10 };
    static const struct {
        int number;
        void (*handler)(int, siginfo_t *, void *);
    } caught[] = {{SIGSEGV, on_fault}, {SIGBUS, on_fault}, {SIGFPE, on_fault},
                  {SIGILL, on_fault},  {SIGTERM, on_time}, {SIGSYS, on_refused}};
    hold = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t own = {.ss_sp = hold, .ss_size = STACK};
    sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = caught[i].handler;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(caught[i].number, &action, NULL);
    }
}

/* The one place from where the runtime may start processes, for the blocks of a launch, and the one
 * that writes to the file of results. */
extern char tsl_fork_return[];
extern char tsl_write_return[];
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl tsl_raw_fork\n"
        "tsl_raw_fork:\n"
        "    movl $56, %eax\n" /* clone(SIGCHLD, 0, 0, 0, 0) */
        "    movl $17, %edi\n"
        "    xorl %esi, %esi\n"
        "    xorl %edx, %edx\n"
        "    xorl %r10d, %r10d\n"
        "    xorl %r8d, %r8d\n"
        "    syscall\n"
        ".globl tsl_fork_return\n"
        "tsl_fork_return:\n"
        "    ret\n"
        ".globl tsl_raw_write\n"
        "tsl_raw_write:\n"
        "    movl $1, %eax\n" /* write(file, text, bytes) */
        "    syscall\n"
        ".globl tsl_write_return\n"
        "tsl_write_return:\n"
        "    ret\n");
#else
__asm__(".text\n"
        ".globl tsl_raw_fork\n"
        "tsl_raw_fork:\n"
        "    mov x8, #220\n"
        "    mov x0, #17\n"
        "    mov x1, #0\n"
        "    mov x2, #0\n"
        "    mov x3, #0\n"
        "    mov x4, #0\n"
        "    svc #0\n"
        ".globl tsl_fork_return\n"
        "tsl_fork_return:\n"
        "    ret\n"
        ".globl tsl_raw_write\n"
        "tsl_raw_write:\n"
        "    mov x8, #64\n"
        "    svc #0\n"
        ".globl tsl_write_return\n"
        "tsl_write_return:\n"
        "    ret\n");
#endif
extern long tsl_raw_fork(void);
extern long tsl_raw_write(long file, const void *text, size_t bytes);

long tsl_guard_fork(void)
{
    return tsl_raw_fork();
}

long tsl_guard_write(int file, const void *text, size_t bytes)
{
    return tsl_raw_write(file, text, bytes);
}

/* ---- the filter ------------------------------------------------------------------------------ */

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define ARGUMENT(i) LOAD(offsetof(struct seccomp_data, args) + 8 * (size_t)(i))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define SET(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define CALLER LOAD(offsetof(struct seccomp_data, instruction_pointer))

/* Steps for one call, that follow the test of its number; they fall through where it may pass. */
static size_t steps_of(struct sock_filter *f, long call, enum refusal refusal)
{
    const struct sock_filter trap = ANSWER(SECCOMP_RET_TRAP);
    size_t n = 0;
    switch (refusal) {
    case ALL:
        break;
    case UNSEEN:
        f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
        return n;
    case TO_WRITE:
        f[n++] = (struct sock_filter)ARGUMENT(call == SYS_openat ? 2 : 1);
        f[n++] = (struct sock_filter)SET(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
        break;
    case PROCESSES:
        f[n++] = (struct sock_filter)CALLER;
        f[n++] = (struct sock_filter)EQUAL((uintptr_t)tsl_fork_return, 3, 0);
        f[n++] = (struct sock_filter)ARGUMENT(0);
        f[n++] = (struct sock_filter)SET(0x10000 /* CLONE_THREAD */, 1, 0);
        break;
    case OTHERS:
        f[n++] = (struct sock_filter)ARGUMENT(0);
        f[n++] = (struct sock_filter)EQUAL(getpid(), 1, 0);
        break;
    case SHARED:
        f[n++] = (struct sock_filter)ARGUMENT(3);
        f[n++] = (struct sock_filter)SET(MAP_ANONYMOUS, 0, 2);
        f[n++] = (struct sock_filter)SET(MAP_SHARED, 0, 1);
        break;
    case TYPED:
        f[n++] = (struct sock_filter)ARGUMENT(1);
        f[n++] = (struct sock_filter)EQUAL(0x5412 /* TIOCSTI */, 1, 0);
        f[n++] = (struct sock_filter)EQUAL(0x541C /* TIOCLINUX */, 0, 1);
        break;
    case RESULTS_FIRST:
    case RESULTS_SECOND:
    case RESULTS_THIRD:
        f[n++] = (struct sock_filter)ARGUMENT(refusal - RESULTS_FIRST);
        f[n++] = (struct sock_filter)EQUAL(tsl_now.report, 0, 1);
        break;
    case RESULTS_WRITTEN:
        f[n++] = (struct sock_filter)ARGUMENT(0);
        f[n++] = (struct sock_filter)EQUAL(tsl_now.report, 0, 3);
        f[n++] = (struct sock_filter)CALLER;
        f[n++] = (struct sock_filter)EQUAL((uintptr_t)tsl_write_return, 1, 0);
        break;
    }
    f[n++] = trap;
    return n;
}

static void refuse_calls(void)
{
    struct sock_filter filter[16 + (MOST_STEPS + 2) * REFUSED] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        EQUAL(ARCHITECTURE, 1, 0),
        ANSWER(SECCOMP_RET_TRAP),
        LOAD(offsetof(struct seccomp_data, nr)),
        /* numbers of another way to call the same */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
    };
    size_t n = 6;
    for (int i = 0; i < REFUSED; i++) {
        struct sock_filter steps[MOST_STEPS];
        const size_t count = steps_of(steps, refused[i].number, refused[i].refusal);
        filter[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr));
        filter[n++] = (struct sock_filter)EQUAL(refused[i].number, 0, (uint8_t)count);
        memcpy(filter + n, steps, count * sizeof *steps);
        n += count;
    }
    filter[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        tsl_write_line("unguarded %s", strerror(errno));
    }
}

void tsl_guard_begin(bool refuse)
{
    catch_signals();
    if (refuse) {
        const struct rlimit file = {MOST_FILE, MOST_FILE};
        setrlimit(RLIMIT_FSIZE, &file);
        refuse_calls();
    }
}
