// A host is cut off: its packets are dropped, and nobody sees an end of a connection. The other host goes on with everything,
// and when the first one is joined again, it works again without a restart.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { countOwners, watchFault } from '#test/support/stage.js';
import { ENGINE, underLoadOnHosts } from './hosted-service.js';
import { startClock } from './progress.js';

/** A balancer that asks each second leaves a gateway out after two answers that did not come. */
const PROBES_MS = 2_000;
const OWNERS = 2;

t.test('a host that is cut off loses nothing, and joins again', (t) =>
  underLoadOnHosts(t, {}, async (service) => {
    const { load, second, balance, serve, sql } = service;
    await waitUntil('both own partitions', async () => (await countOwners(service)) === OWNERS);
    await watchFault(service, { engine: ENGINE, fault: 'a host is cut off' }, async () => {
      const sinceCut = startClock();
      second.cutOff();
      setTimeout(() => {
        balance('first');
      }, PROBES_MS);
      await waitUntil('the other one owns all partitions', async () => {
        return (await countOwners(service)) === 1;
      });
      sinceCut.report('cut off: the other host owns all partitions after');
      await serve('first');
      sinceCut.report('cut off: the other host creates after');
      await load.progress(300);
    });
    const [before] = await sql<
      { count: number }[]
    >`select count(*)::integer as count from payments`;
    t.ok((before?.count ?? 0) > 0);
    await watchFault(service, { engine: ENGINE, fault: 'the host is joined again' }, async () => {
      const sinceJoin = startClock();
      second.rejoin();
      await serve('second');
      sinceJoin.report('joined again: its gateway creates after');
      balance('both');
      await waitUntil('both own partitions', async () => (await countOwners(service)) === OWNERS);
      sinceJoin.report('joined again: its payments process owns partitions after');
    });
  }),
);
