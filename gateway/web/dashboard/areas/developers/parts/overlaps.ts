// How long an old key or secret still works beside its successor: the choices of the dialogs, in seconds.
export const OVERLAPS_S = ['0', '3600', '86400', '259200', '604800'] as const;
