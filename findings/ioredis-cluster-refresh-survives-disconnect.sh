#!/bin/sh
# A Cluster of ioredis with slotsRefreshInterval that is disconnected while it asks for the slots goes on asking for ever, and keeps
# the process alive.
#   sh findings/ioredis-cluster-refresh-survives-disconnect.sh     needs nothing but Node.js and npm
#
# Seen with ioredis 6.0.0 on Node 20.20.2, 2026-11-29, against a server of 30 lines that answers CLUSTER SLOTS after 100 ms, as a
# distant or busy node does.
# Expected: disconnect() ends everything, so that a process with nothing else to do ends. A disconnect between two refreshes does so.
# Seen: the end of the refresh that was under way starts the timer of the next one, whatever the status. The status is "end", no
# connection is open, and a timer fires each interval; each of its rounds fails and starts the next. With a short refresh it is a race
# that is seldom lost: one test of many hung for minutes.
# Kasir: refreshes the slots by a timer of its own, which ends with the cluster and keeps no process (store/redis/client.ts).
#
# Output seen:
#   between two refreshes: status end, ended by itself
#   during a refresh: status end, still running after 3 s, timers 1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund ioredis@6.0.0 >/dev/null
cat >node.mjs <<'END'
// As much of a cluster node as a client asks when it connects: one master with all slots.
import { createServer } from 'node:net';
const SLOTS_MS = 100;
const server = createServer((socket) => {
  const { port } = server.address();
  const answer = (words) => {
    const [name, part] = words.map((word) => word.toUpperCase());
    const bulk = (text) => `$${text.length}\r\n${text}\r\n`;
    if (name === 'HELLO') return `%1\r\n${bulk('proto')}:3\r\n`;
    if (name === 'INFO') return bulk('redis_version:7.0.0\r\nloading:0\r\nrole:master\r\n');
    if (name === 'CLUSTER' && part === 'INFO') return bulk('cluster_state:ok\r\n');
    if (name === 'CLUSTER') {
      return `*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n${bulk('127.0.0.1')}:${port}\r\n${bulk('a'.repeat(40))}`;
    }
    return '+OK\r\n';
  };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    const commands = data.toString().split(/(?=\*\d+\r\n)/);
    for (const command of commands) {
      const words = [...command.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, word]) => word);
      const isSlots = words[0]?.toUpperCase() === 'CLUSTER' && words[1]?.toUpperCase() !== 'INFO';
      setTimeout(() => socket.write(answer(words)), isSlots ? SLOTS_MS : 0);
    }
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
END
cat >client.mjs <<'END'
import { Cluster } from 'ioredis';
const [port, disconnectAfterMs] = process.argv.slice(2).map(Number);
const cluster = new Cluster([{ host: '127.0.0.1', port }], { slotsRefreshInterval: 200 });
cluster.on('error', () => {});
cluster.on('ready', () => setTimeout(() => cluster.disconnect(), disconnectAfterMs));
setTimeout(() => {
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  console.log(`status ${cluster.status}, still running after 3 s, timers ${timers}`);
  process.exit();
}, 3_000).unref();
process.on('exit', () => {
  if (process.uptime() < 3) console.log(`status ${cluster.status}, ended by itself`);
});
END
node node.mjs >port &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
until [ -s port ]; do sleep 0.1; done
{
  printf 'between two refreshes: '
  node client.mjs "$(cat port)" 50
  printf 'during a refresh: '
  node client.mjs "$(cat port)" 250
} >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
between two refreshes: status end, ended by itself
during a refresh: status end, still running after 3 s, timers 1
END
cmp seen.txt wanted.txt
