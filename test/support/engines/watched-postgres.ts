// Three Postgres servers that Patroni watches, with etcd and HAProxy: a standby takes over when the primary is gone.
import { randomBytes } from 'node:crypto';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import type { TestScope } from '../servers.js';
import { startEtcd } from './etcd.js';
import { startBalancer } from './haproxy.js';
import { type Member, prepareMember, USER } from './patroni.js';

const NAMES = ['one', 'two', 'three'] as const;
const STARTS_MS = 120_000;

/** How the processes reach the primary. */
export const WAYS = ['HAProxy', 'several hosts'] as const;
export type Way = (typeof WAYS)[number];

export interface WatchedPostgres {
  readonly members: readonly Member[];
  /** A migrated database, by the given name. */
  createDatabase(name: string, way: Way): Promise<string>;
  findPrimary(): Promise<Member>;
  /** The address of a database at one member. */
  urlAt(member: Member, database: string): string;
  /** Patroni's own: it hands over to the standby that is ready. */
  switchOver(former: Member): Promise<void>;
  /** Resolves when all members run and the standbys follow the primary. */
  waitUntilWhole(): Promise<void>;
}

export async function startWatchedPostgres(
  t: TestScope,
  isSynchronous: boolean,
): Promise<WatchedPostgres> {
  const etcd = await startEtcd(t);
  const password = randomBytes(12).toString('hex');
  const members: Member[] = [];
  for (const name of NAMES)
    members.push(await prepareMember(t, { name, etcd, password, isSynchronous }));
  const [first, ...others] = members;
  if (first === undefined) throw new Error('there are members');
  // HAProxy takes every server for good until its checks have failed twice, so it begins before them.
  const balancer = await startBalancer(t, members);
  await first.start();
  await waitUntil('the first is primary', async () => (await first.ask('/primary')) === 200);
  await Promise.all(others.map((member) => member.start()));

  const buildUrl = (hosts: string, database: string): string =>
    `postgres://${USER}:${password}@${hosts}/${database}`;
  const urlAt = ({ port }: Member, database: string): string =>
    buildUrl(`127.0.0.1:${port}`, database);
  const several = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const build = (way: Way, database: string): string =>
    way === 'HAProxy'
      ? buildUrl(`127.0.0.1:${balancer}`, database)
      : `${buildUrl(several, database)}?target_session_attrs=primary`;
  const findPrimary = (): Promise<Member> =>
    waitUntil('there is a primary', async () => {
      for (const member of members) if ((await member.ask('/primary')) === 200) return member;
      return null;
    });
  const waitUntilWhole = async (): Promise<void> => {
    await waitUntil(
      'the standbys follow',
      async () => {
        const states = await readSenders(urlAt(await findPrimary(), 'postgres'));
        const following = states.filter(({ state }) => state === 'streaming');
        const isSafe = !isSynchronous || (await hasSynchronous(members));
        return following.length === NAMES.length - 1 && isSafe;
      },
      STARTS_MS,
    );
  };
  await waitUntilWhole();
  return {
    ...{ members, urlAt, findPrimary, waitUntilWhole },
    createDatabase: async (name, way) => {
      const url = build(way, name);
      await waitUntil('a database can be made', () => create(build(way, 'postgres'), name));
      await migrate(url);
      return url;
    },
    switchOver: async (former) => {
      const answer = await fetch(`http://127.0.0.1:${former.restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: former.member }),
      });
      if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`);
    },
  };
}

/** Whether Patroni has noted a synchronous standby in etcd: without one, it promotes nobody when the primary dies. */
async function hasSynchronous(members: readonly Member[]): Promise<boolean> {
  for (const member of members) if ((await member.ask('/synchronous')) === 200) return true;
  return false;
}

interface Sender {
  readonly pid: number;
  readonly state: string;
}

/** The processes of a primary that send its log to a standby. */
export async function readSenders(url: string): Promise<readonly Sender[]> {
  const sql = openPostgres(url, 'test', 1);
  try {
    return await sql<Sender[]>`select pid, state from pg_stat_replication`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function create(url: string, name: string): Promise<boolean> {
  const sql = openPostgres(url, 'test', 1);
  try {
    await sql`create database ${sql(name)}`;
    return true;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
