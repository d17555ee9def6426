// Looks again while an object is about to change by itself. Each request for one object is an entry of the audit log, so a
// view that is left open stops after a while; coming back to its window loads it again.

const REFRESH_MS = 5_000;
/** Two minutes of the shortest interval. */
const MOST_LOADS = 24;

interface Loaded<Data> {
  readonly state: { readonly data: Data | undefined; readonly dataUpdateCount: number };
}

/** For `refetchInterval` of a query. */
export function refreshWhile<Data>(
  isMoving: (data: Data) => boolean,
): (query: Loaded<Data>) => number | false {
  return ({ state: { data, dataUpdateCount: loads } }) =>
    data !== undefined && isMoving(data) && loads < MOST_LOADS ? REFRESH_MS : false;
}
