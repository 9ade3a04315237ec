! The energy and the potential of PBE at three points, from Fortran.
!
!     gfortran xc_energy.f90 -ltesela -o xc_energy && ./xc_energy
program xc_energy
    use, intrinsic :: iso_c_binding
    implicit none

    ! The structs of tesela/xc.h: a size in bytes, then the fields in their order.
    type, bind(c) :: xc_options
        integer(c_size_t) :: size
        integer(c_int) :: polarised = 0, order = 1, layout = 0
        real(c_double) :: density = -1, sigma = -1, zeta = -1, tau = -1
        integer(c_int) :: float_input = 0
    end type

    type, bind(c) :: xc_arrays
        integer(c_size_t) :: size
        integer(c_int64_t) :: pitch = 0
        type(c_ptr) :: rho, sigma, lapl, tau
        type(c_ptr) :: exc, vrho, vsigma, vlapl, vtau
        type(c_ptr) :: higher(30) ! second and third derivatives
        type(c_ptr) :: float(4)   ! inputs of float
        type(c_ptr) :: weight
        integer(c_int64_t) :: first_group = 0
        type(c_ptr) :: group_energy, energy
    end type

    interface
        integer(c_int) function tsl_context_create(context, options) bind(c)
            import
            type(c_ptr), intent(out) :: context
            type(c_ptr), value :: options
        end function
        subroutine tsl_context_destroy(context) bind(c)
            import
            type(c_ptr), value :: context
        end subroutine
        integer(c_int) function tsl_xc_plan_create(plan, context, functional, options) bind(c)
            import
            type(c_ptr), intent(out) :: plan
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: functional(*)
            type(xc_options), intent(in) :: options
        end function
        subroutine tsl_xc_plan_destroy(plan) bind(c)
            import
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function tsl_xc_evaluate(plan, points, arrays) bind(c)
            import
            type(c_ptr), value :: plan
            integer(c_int64_t), value :: points
            type(xc_arrays), intent(in) :: arrays
        end function
    end interface

    integer, parameter :: points = 3
    real(c_double), target :: rho(points) = [0.1d0, 0.2d0, 0.3d0]
    real(c_double), target :: sigma(points) = [0.01d0, 0.02d0, 0.03d0]
    real(c_double), target :: exc(points), vrho(points), vsigma(points)
    type(c_ptr) :: context, plan
    type(xc_options) :: options
    type(xc_arrays) :: arrays
    integer :: i

    options%size = c_sizeof(options)
    arrays%size = c_sizeof(arrays)
    arrays%rho = c_loc(rho)
    arrays%sigma = c_loc(sigma)
    arrays%lapl = c_null_ptr
    arrays%tau = c_null_ptr
    arrays%exc = c_loc(exc)
    arrays%vrho = c_loc(vrho)
    arrays%vsigma = c_loc(vsigma)
    arrays%vlapl = c_null_ptr
    arrays%vtau = c_null_ptr
    arrays%higher = c_null_ptr
    arrays%float = c_null_ptr
    arrays%weight = c_null_ptr
    arrays%group_energy = c_null_ptr
    arrays%energy = c_null_ptr

    if (tsl_context_create(context, c_null_ptr) /= 0) error stop 'no context'
    if (tsl_xc_plan_create(plan, context, 'pbe' // c_null_char, options) /= 0) error stop 'no plan'
    if (tsl_xc_evaluate(plan, int(points, c_int64_t), arrays) /= 0) error stop 'not evaluated'
    do i = 1, points
        print '(5f14.8)', rho(i), sigma(i), exc(i), vrho(i), vsigma(i)
    end do
    call tsl_xc_plan_destroy(plan)
    call tsl_context_destroy(context)
end program
