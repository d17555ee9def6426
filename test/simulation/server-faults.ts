// Faults of the two servers that every simulated protocol has alike. Each begins, lasts and ends.
import type { PostgresServer } from './postgres/server.js';
import type { RedisNetwork } from './redis/network.js';

const WRONG_MS = 10_000;

interface Servers {
  readonly postgres: PostgresServer;
  readonly redis: RedisNetwork;
}

interface Force {
  readonly atMs: number;
  readonly force: number;
}

/** Begins the fault and returns what ends it. */
type Begin = (servers: Servers, fault: Force) => () => void;

/** Ahead or behind, as the moment wants it. */
const chooseWrongMs = ({ force, atMs }: Force): number =>
  Math.round((atMs % 2 === 0 ? 1 : -1) * force * WRONG_MS);

/** A host, or a server with its own clock. */
export function setWrongClock(one: { clockAheadMs: number }, fault: Force): () => void {
  one.clockAheadMs = chooseWrongMs(fault);
  return () => {
    one.clockAheadMs = 0;
  };
}

export function loseStatementAnswers({ postgres }: Servers, { force }: Force): () => void {
  return raiseShare(postgres, 'answerLost', force * 0.7);
}

export const SERVER_FAULTS = {
  statements_late: ({ postgres }, { force }) => raiseShare(postgres, 'late', force * 0.5),
  statements_timed_out: ({ postgres }, { force }) => raiseShare(postgres, 'timedOut', force * 0.6),
  postgres_read_only: ({ postgres }) => {
    postgres.isReadOnly = true;
    return () => {
      postgres.isReadOnly = false;
    };
  },
  postgres_clock_wrong: ({ postgres }, fault) => setWrongClock(postgres, fault),
  redis_full: ({ redis }) => {
    const { master } = redis;
    master.isFull = true;
    return () => {
      master.isFull = false;
    };
  },
} as const satisfies Readonly<Record<string, Begin>>;

function raiseShare(
  { shares }: PostgresServer,
  name: keyof PostgresServer['shares'],
  share: number,
): () => void {
  shares[name] = share;
  return () => {
    shares[name] = 0;
  };
}
