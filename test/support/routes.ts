// All routes of the gateway, for tests that read them; their handlers are not called.
import { createAssets } from '#gateway/pages/assets.js';
import { readDashboardFiles } from '#gateway/pages/dashboard-files.js';
import { readAssetFiles } from '#gateway/pages/asset-files.js';
import { type RouteDeps, buildRoutes } from '#gateway/routes.js';
import type { Route } from '#gateway/routing/route.js';

const ID = '5jz8q4m1n7v2c9k3x6w0t4h8rb';
/** Path parameters of the right form that no object has. */
export const SAMPLE_PARAMS: Readonly<Record<string, string>> = {
  payment_id: `pay_${ID}`,
  refund_id: `ref_${ID}`,
  payout_id: `po_${ID}`,
  event_id: `evt_${ID}0001`,
  user_id: `usr_${ID}`,
  session_id: `ses_${ID}`,
  passkey_id: `pkey_${ID}`,
  webhook_id: `we_${ID}`,
  request_id: 'req_4f1f7dc669b8b5d68fc900000a',
  replay_id: `rpl_${ID}`,
  delivery_id: 'del_0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  api_key_id: `key_${ID}`,
  merchant_id: `mer_${ID}`,
  document_id: `doc_${ID}`,
  payment_link_id: `plink_${ID}`,
  task_id: `task_${ID}000200`,
  approval_id: `appr_${ID}`,
  invoice_id: `inv_${ID}`,
  erasure_id: `era_${ID}`,
  callback_id: ID,
  slug: '5jz8q4m1n7v2c9k3',
  asset: 'icon.svg',
  area: 'payments',
  view: 'search',
  object: 'one',
  part: 'events',
  logo_id: `logo_${ID}`,
  style: '0b5cad.css',
};

/** Builds the routes with the dependencies that building needs; handlers need more. */
export function listRoutes(deps: Partial<RouteDeps> = {}): readonly Route[] {
  const own = {
    brand: 'Acme',
    brandHeader: 'Acme',
    baseUrl: 'https://pay.example',
    assets: createAssets(readAssetFiles()),
    dashboardFiles: readDashboardFiles(),
    sendsMail: true,
    ...deps,
  };
  return buildRoutes(own as RouteDeps);
}
