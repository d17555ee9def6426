// A rival: a command handler on an event store from npm, emmett's on Postgres. One stream a payment, one event a create, and the
// answer is built from the state. The id of a payment comes from its idempotency key, so a repeat finds the same stream.
//   node dist/bench/control/event-store.js <database url> <port>
import { createHash } from 'node:crypto';
import {
  CommandHandler,
  type CommandHandlerResult,
  type Event,
  isExpectedVersionConflictError,
} from '@event-driven-io/emmett';
import {
  getPostgreSQLEventStore,
  type PostgresEventStore,
} from '@event-driven-io/emmett-postgresql';
import pg from 'pg';
import postgres from 'postgres';
import {
  answerOf,
  type Caller,
  type CreateAnswer,
  type CreateRequest,
  type PaymentRow,
  toRow,
} from './payments.js';
import { addCreate, cacheCallers, listen, openApp } from './serve.js';

const POOL = 16;

/** A payment as JSON keeps it. */
type Facts = Omit<PaymentRow, 'fingerprint' | 'created_at' | 'expires_at'> & {
  fingerprint: string;
  created_at: string;
  expires_at: string;
};

type PaymentCreated = Event<'PaymentCreated', Facts>;

/** Null of a stream without events. */
type State = PaymentRow | null;

type Handled = CommandHandlerResult<State, PaymentCreated, PostgresEventStore>;

const [databaseUrl = '', portText = ''] = process.argv.slice(2);
const port = Number(portText);
const baseUrl = `http://127.0.0.1:${port}`;
const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL });
const eventStore = getPostgreSQLEventStore(databaseUrl, { connectionOptions: { pool } });

const handle = CommandHandler<State, PaymentCreated>({
  initialState: () => null,
  evolve: (_, { data }) => ({
    ...data,
    fingerprint: Buffer.from(data.fingerprint, 'hex'),
    created_at: new Date(data.created_at),
    expires_at: new Date(data.expires_at),
  }),
});

function idFor({ merchantId, environment }: Caller, key: string): string {
  const whole = JSON.stringify([merchantId, environment, key]);
  return `pay_${createHash('sha256').update(whole).digest('hex').slice(0, 32)}`;
}

function decide(state: State, row: PaymentRow): PaymentCreated[] {
  if (state !== null) return [];
  const data: Facts = {
    ...row,
    fingerprint: row.fingerprint.toString('hex'),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
  return [{ type: 'PaymentCreated', data }];
}

/**
 * The version is given, because without one the handler appends to a stream that another request began after it was read: two
 * creates at once with one key would both be stored. A repeat fails for its version and is handled again on the stored state.
 */
async function handleOnce(row: PaymentRow): Promise<Handled> {
  const stream = `payment-${row.id}`;
  const command = (state: State): PaymentCreated[] => decide(state, row);
  try {
    return await handle(eventStore, stream, command, { expectedStreamVersion: 0n });
  } catch (error) {
    if (!isExpectedVersionConflictError(error)) throw error;
    return handle(eventStore, stream, command);
  }
}

async function create({ caller, key, body }: CreateRequest): Promise<CreateAnswer> {
  const row = { ...toRow(caller, key, body), id: idFor(caller, key) };
  const { newState, newEvents } = await handleOnce(row);
  if (newState?.fingerprint.equals(row.fingerprint) !== true) return { kind: 'conflict' };
  const kind = newEvents.length > 0 ? 'created' : 'replayed';
  return answerOf({ kind, row: newState }, baseUrl);
}

await eventStore.schema.migrate();
const app = openApp();
addCreate(app, cacheCallers(postgres(databaseUrl, { max: 1 })), '/v1/payments', create);
await listen(app, port);
