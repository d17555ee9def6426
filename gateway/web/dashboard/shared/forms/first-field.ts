// The field of a dialog that has the focus from its first moment.

/**
 * Properties of that field. `data-autofocus` tells the focus trap of the dialog which field it is; the trap moves the focus
 * a moment after the dialog is drawn, and `autoFocus` at once, so that no key pressed until then is lost.
 */
export const FIRST_FIELD = { 'data-autofocus': true, autoFocus: true } as const;
