// The rail simulator as a process, under `npm start` or alone with `npm run rail-simulator`.
//   node main.js [<settings, a JSON file>]
import { readFileSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import { startRailSimulator } from './simulator.js';
import { SimulatorSettings } from './simulator-context.js';

const ALONE: SimulatorSettings = {
  port: 8090,
  midtransServerKey: 'simulated-midtrans-key',
  xenditSecretKey: 'simulated-xendit-key',
  xenditCallbackToken: 'simulated-xendit-token',
  callbacks: { midtrans: null, xendit: null },
  file: null,
  bankMs: 500,
};

const file = process.argv[2];
const given: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
const settings = Value.Parse(SimulatorSettings, { ...ALONE, ...(given as object) });
const simulator = await startRailSimulator(settings);
if (process.send === undefined) {
  console.log(`Rail simulator on ${simulator.baseUrl}
  RAIL_MIDTRANS_URL=${simulator.midtransUrl} RAIL_MIDTRANS_SERVER_KEY=${settings.midtransServerKey}
  RAIL_XENDIT_URL=${simulator.xenditUrl} RAIL_XENDIT_SECRET_KEY=${settings.xenditSecretKey}
  RAIL_XENDIT_CALLBACK_TOKEN=${settings.xenditCallbackToken}`);
}
process.send?.({ type: 'ready' });

process.title = 'kasir-rail-simulator';
const end = (): void => void simulator.stop().then(() => process.exit(0));
process.on('SIGTERM', end);
process.on('SIGINT', end);
if (process.channel !== undefined) process.once('disconnect', end);
