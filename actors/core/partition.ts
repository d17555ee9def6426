// The partition of an id, and positions in a partition's stream. A position is a Redis stream id,
// held as two numbers: as text, 2-10 would come before 2-9, and entries would be skipped.

export interface Position {
  readonly ms: bigint;
  readonly seq: bigint;
}

const POSITION_PATTERN = /^(\d{1,20})-(\d{1,20})$/;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Throws on a text that is no stream id, since stores only return ids that this system wrote. */
export function parsePosition(text: string): Position {
  const match = POSITION_PATTERN.exec(text);
  if (match === null) throw new TypeError(`not a stream id: ${JSON.stringify(text)}`);
  return { ms: BigInt(String(match[1])), seq: BigInt(String(match[2])) };
}

export function formatPosition(position: Position): string {
  return `${position.ms}-${position.seq}`;
}

/** Below zero: a is before b. Zero: they are equal. Above zero: a is after b. */
export function comparePositions(a: Position, b: Position): number {
  if (a.ms !== b.ms) return a.ms < b.ms ? -1 : 1;
  if (a.seq !== b.seq) return a.seq < b.seq ? -1 : 1;
  return 0;
}

/**
 * FNV-1a over the id's characters, folded so that the high bits count too. The result may never
 * change, because the payments of an installation would lose their streams.
 */
export function partitionFor(id: string, partitions: number): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), FNV_PRIME);
  }
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

/** The present one of the numbers of partitions that an installation has had. */
export const findCount = (counts: readonly number[]): number => counts.at(-1) ?? 1;
