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
        tsl_report("time", pc_of(context), 0, "thread %u of block %llu still runs here",
                   fiber->thread, (unsigned long long)block->number);
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

static const struct {
    long number;
    const char *what;
} refused[] = {
#if defined(SYS_fork)
    {SYS_fork, "to start a process"},
    {SYS_vfork, "to start a process"},
    {SYS_unlink, "to remove a file"},
    {SYS_rename, "to rename a file"},
    {SYS_mkdir, "to make a folder"},
    {SYS_rmdir, "to remove a folder"},
    {SYS_creat, "to write a file"},
    {SYS_chmod, "to change a file"},
    {SYS_chown, "to change a file"},
    {SYS_link, "to make a link"},
    {SYS_symlink, "to make a link"},
    {SYS_open, "to write a file"},
#endif
    {SYS_clone, "to start a process"},
#if defined(SYS_clone3)
    {SYS_clone3, "to start a process"},
#endif
    {SYS_execve, "to start a program"},
    {SYS_execveat, "to start a program"},
    {SYS_ptrace, "to look into a process"},
    {SYS_process_vm_writev, "to write to a process"},
    {SYS_kill, "to send a signal"},
    {SYS_socket, "to use the network"},
    {SYS_connect, "to use the network"},
    {SYS_unlinkat, "to remove a file"},
    {SYS_renameat2, "to rename a file"},
    {SYS_mkdirat, "to make a folder"},
    {SYS_linkat, "to make a link"},
    {SYS_symlinkat, "to make a link"},
    {SYS_truncate, "to change a file"},
    {SYS_fchmodat, "to change a file"},
    {SYS_fchownat, "to change a file"},
    {SYS_mount, "to mount"},
    {SYS_setpgid, "to leave its group of processes"},
    {SYS_setsid, "to leave its group of processes"},
    {SYS_openat, "to write a file"},
};
enum { REFUSED = sizeof refused / sizeof *refused };

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

/* The one place from where the runtime may start processes, for the blocks of a launch. */
extern char tsl_fork_return[];
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
        "    ret\n");
#endif
extern long tsl_raw_fork(void);

long tsl_guard_fork(void)
{
    return tsl_raw_fork();
}

static void refuse_calls(void)
{
    struct sock_filter filter[8 + 8 * REFUSED];
    size_t n = 0;
    const uintptr_t door = (uintptr_t)tsl_fork_return;
#define ADD(code, k, yes, no) filter[n++] = (struct sock_filter)BPF_JUMP(code, k, yes, no)
    ADD(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    ADD(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    ADD(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
    for (int i = 0; i < REFUSED; i++) {
        const long call = refused[i].number;
        ADD(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
        if (call == SYS_clone) { /* threads of libraries, and the runtime's own door, may pass */
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 5);
            ADD(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer), 0, 0);
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)door, 2, 0);
            ADD(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
            ADD(BPF_JMP | BPF_JSET | BPF_K, 0x10000 /* CLONE_THREAD */, 0, 1);
            ADD(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
            ADD(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
            ADD(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
            continue;
        }
#if defined(SYS_clone3)
        if (call == SYS_clone3) { /* its arguments are out of sight: glibc then asks for clone */
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
            ADD(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
            continue;
        }
#endif
        bool opens = call == SYS_openat;
        size_t argument = 2;
#if defined(SYS_open)
        opens = opens || call == SYS_open;
        argument = call == SYS_open ? 1 : 2;
#endif
        if (opens) {
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3);
            ADD(BPF_LD | BPF_W | BPF_ABS,
                (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument), 0, 0);
            ADD(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
            ADD(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
        } else {
            ADD(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
            ADD(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
        }
    }
    ADD(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
#undef ADD
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        tsl_write_line("unguarded %s", strerror(errno));
    }
}

void tsl_guard_begin(void)
{
    catch_signals();
    if (getenv("TESELA_LAB_GUARD") != NULL) {
        refuse_calls();
    }
}
