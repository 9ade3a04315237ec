/* The switch between fibers: what a called function must keep is pushed on the stack that is left
 * and popped from the stack that is entered. Rounding modes are not kept: kernels do not set them.
 */
#include "lab/run/run.h"

#if defined(__x86_64__)

/* rdi: where to leave the stack pointer; rsi: the one to go on with. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl tsl_switch\n"
        ".type tsl_switch, @function\n"
        "tsl_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        ".size tsl_switch, . - tsl_switch\n");

/* Six registers, then where to go on; 8 bytes more keep the stack aligned as after a call. */
enum { SAVED = 6 };

void *tsl_prepare_stack(uintptr_t top, void (*entry)(void))
{
    void **stack = (void **)(top & ~(uintptr_t)15);
    *--stack = NULL;
    *--stack = (void *)(uintptr_t)entry;
    for (int i = 0; i < SAVED; i++) {
        *--stack = NULL;
    }
    return stack;
}

#elif defined(__aarch64__)

/* x0: where to leave the stack pointer; x1: the one to go on with. x19 to x30 and d8 to d15. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl tsl_switch\n"
        ".type tsl_switch, %function\n"
        "tsl_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size tsl_switch, . - tsl_switch\n");

void *tsl_prepare_stack(uintptr_t top, void (*entry)(void))
{
    enum { LINK = 11, FRAME = 20 }; /* x30 is the twelfth of the frame's 20 places */
    void **stack = (void **)(top & ~(uintptr_t)15) - FRAME;
    for (int i = 0; i < FRAME; i++) {
        stack[i] = NULL;
    }
    stack[LINK] = (void *)(uintptr_t)entry;
    return stack;
}

#else
#error "tesela lab run knows x86-64 and aarch64: add this processor's switch to switch.c"
#endif
