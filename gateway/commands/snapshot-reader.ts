// Reads by id: those of one event-loop turn are one query, from the primary, so that everybody reads
// their own writes. A turn's query does not wait for that of the turn before.

type Load = (ids: readonly string[]) => Promise<Map<string, string>>;

interface SnapshotBatch {
  ids: Set<string>;
  result: Promise<Map<string, string>>;
}

/** A bound on one query; a turn with more reads is several queries. */
const MAX_IDS = 512;

/** Answers the function that reads one snapshot; it rejects when the database cannot be asked. */
export function createSnapshotReader(load: Load): (id: string) => Promise<string | undefined> {
  let turn: SnapshotBatch | undefined;
  const open = (): SnapshotBatch => {
    const ids = new Set<string>();
    const result = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (turn?.ids === ids) turn = undefined;
      return load([...ids]);
    });
    return { ids, result };
  };
  return async (id) => {
    if (turn === undefined || turn.ids.size >= MAX_IDS) turn = open();
    const current = turn;
    current.ids.add(id);
    return (await current.result).get(id);
  };
}
