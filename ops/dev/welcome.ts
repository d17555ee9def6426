// The text that `npm start` prints once it is ready.
import type { Config } from '../runtime/config.js';
import type { DemoRails } from './rail-simulator/settings.js';
import type { Secrets } from './launch/secrets.js';

export function printWelcome(
  config: Config,
  secrets: Secrets,
  running: { demoFile: string; rails: DemoRails; received: string },
): void {
  const { demoFile, rails, received } = running;
  const lines = [
    '',
    `  Kasir serves on ${config.baseUrl}`,
    `  Dashboard ${config.baseUrl}/dashboard`,
    `  Merchant  ${secrets.demo.merchantId}`,
    `  Keys      ${secrets.demo.testKey}`,
    `            ${secrets.demo.liveKey} (refused until the administrator approves the merchant: docs/rail-simulator.md)`,
    `  Login     ${secrets.demo.owner.email}  ${secrets.demo.owner.password}`,
    `  Admin     ${secrets.demo.admin.email}  ${secrets.demo.admin.password}`,
    `            ${secrets.demo.secondAdmin.email}  ${secrets.demo.secondAdmin.password} (approves what the first proposes: docs/operator-tasks.md)`,
    `  Webhooks  ${received} (what the demo receiver got)`,
    ...(rails.simulator === null
      ? []
      : [`  Rails     ${rails.simulator.url} (simulated: pay LIVE orders there)`]),
    `  All this  ${demoFile}`,
    '',
    '  Try:',
    `  curl -sS ${config.baseUrl}/v1/payments -H 'Authorization: Bearer ${secrets.demo.testKey}' \\`,
    `    -H 'Content-Type: application/json' -d '{"amount":"150000","payment_method":"QRIS"}'`,
    '',
    '  Ctrl-C stops everything; the data stays.',
    '',
  ];
  console.log(lines.join('\n'));
}
