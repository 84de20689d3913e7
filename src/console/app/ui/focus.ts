/** Where one goes on when what had the focus is gone: the title of the page. */
export const focusTitle = () => document.querySelector('h1')?.focus({ preventScroll: true })
