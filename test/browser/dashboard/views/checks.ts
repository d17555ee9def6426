// Shared by the tests of all views: a service with hostile data, and the checks of a view that is shown.
import type { Browser, Page } from 'playwright-core';
import type { Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson, type Person } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import type { TestScope } from '#test/support/servers.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { checkView, type DashboardStage, openDashboard, startDashboard } from '../stage.js';
import { attack, type HostileStage } from './hostile.js';
import { readRoute, type View, walkViews } from './views.js';

export const LOOKS = [
  { look: 'wide', viewport: WIDE, locale: 'en-GB' },
  // The narrowest phones that are still sold.
  { look: 'phone', viewport: { width: 360, height: 780 }, locale: 'id-ID' },
] as const;

/** The words of the attacks that a view shows, as text or in a field. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  '/': ['usaha'],
  '/payments': ['pelanggan', 'acuan'],
  '/payments/$paymentId': ['pelanggan', 'acuan', 'keterangan', 'nama', 'nilai', 'alasan'],
  '/refunds/$refundId': ['alasan'],
  '/payouts': ['penerima'],
  '/payouts/$payoutId': ['penerima', 'acuan', 'keperluan'],
  '/payment-links': ['tautan'],
  '/payment-links/$linkId': ['tautan', 'uraian'],
  '/invoices': ['pembeli'],
  '/invoices/$invoiceId': ['pembeli', 'barang', 'catatan'],
  '/invoices/$invoiceId/edit': ['pembeli', 'barang', 'catatan'],
  '/api-keys': ['kunci'],
  '/webhooks/deliveries/$deliveryId': ['jawaban'],
  '/verification': ['ditolak', 'npwp'],
  '/settings': ['merek'],
  '/account': ['sidik'],
  '/admin/merchants': ['usaha'],
  '/admin/merchants/$merchantId': ['usaha', 'hukum', 'jalan', 'wakil', 'berkas', 'ditolak', 'npwp'],
  '/admin/tasks/$taskId': ['pesanan', 'di sana', 'putusan'],
  '/admin/approvals/$approvalId': ['koreksi', 'dasar', 'tolak'],
  '/admin/transactions/$paymentId': ['acuan'],
  '/admin/refunds/$refundId': ['alasan'],
  '/admin/payouts/$payoutId': ['penerima', 'acuan'],
  '/admin/reconciliations/$railDay': ['pesanan', 'di sana'],
};

/** The browser reports that the test looks into the frame of a preview, which runs no scripts. */
const LOOKED_INTO = /^Blocked script execution in 'about:srcdoc'/;

export interface ViewsStage extends DashboardStage, HostileStage {
  readonly administrator: Person;
}

/** A service with a receiver of webhooks and two administrators. */
export async function startViews(t: TestScope): Promise<ViewsStage> {
  const receiver = await startReceiver(t);
  const stage = await startDashboard(t, { variables: await receiverVariables(t) });
  await startProcess(t, 'webhooks', stage.variables);
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const administrator = await makePerson(sql, 'admin', null);
  const colleague = await makePerson(sql, 'admin', null);
  const office = openApi(stage.baseUrl, await beginSession(sql, administrator));
  const second = openApi(stage.baseUrl, await beginSession(sql, colleague));
  return { ...stage, receiver, sql, administrator, office, second };
}

interface Look {
  readonly look: string;
  readonly views: readonly View[];
  /** Signs in, or shows a first page of the dashboard in another way. */
  readonly begin: (page: Page) => Promise<void>;
}

/** Each view passes the checks of every view, and the hostile texts in it are texts. */
export async function checkViews(
  t: Test,
  browser: Browser,
  { look, views, begin, ...options }: Look & Pick<(typeof LOOKS)[number], 'viewport' | 'locale'>,
): Promise<void> {
  const watched = await openDashboard(t, browser, { ...options, reducedMotion: 'reduce' });
  const { page, complaints, strangers } = watched;
  await begin(page);
  const visit = async (view: View, name: string): Promise<void> => {
    await checkView(t, page, `${name}-${look}`);
    await checkAttacks(t, page, view);
    const unexpected = complaints.splice(0).filter((text) => !LOOKED_INTO.test(text));
    t.same({ unexpected, strangers }, { unexpected: [], strangers: [] }, view.path);
  };
  t.same(await walkViews(page, { views, visit }), [], 'each view has a sample');
}

/** The attacks of the view are read as texts, and none became a part of the page. */
async function checkAttacks(t: Test, page: Page, view: View): Promise<void> {
  // The merchant has nothing in LIVE.
  const words = view.path.includes('LIVE') ? [] : (ATTACKS[readRoute(view)] ?? []);
  for (const word of words) {
    await waitUntil(`${view.path} shows the text ${attack(word)}`, () =>
      page.evaluate<boolean>(
        `[document.body.innerText, ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value)]
           .some((text) => text.includes(${JSON.stringify(attack(word))}))`,
      ),
    );
  }
  for (const part of page.frames()) {
    t.equal(await part.locator('img[src=x]').count(), 0, `${view.path} has no image of an attack`);
  }
  t.not(await page.title(), 'owned', `${view.path} keeps its title`);
}
