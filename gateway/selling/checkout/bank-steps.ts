// The way to a virtual account at each bank: the menus of its ATM, its app and its site, by the names on their
// screens. Most banks show them in Indonesian only, so they are the same in both languages of the page.
import { renderHtml, renderVerbatim, type Html } from '#gateway/pages/html.js';
import { type Channel, CHANNELS, type Texts, type VirtualAccountMethod } from './texts.js';

interface BankChannel {
  readonly name: string;
  /** From the first screen to the field of the number. */
  readonly menu: readonly string[];
}

const BANK_CHANNELS: Readonly<
  Record<VirtualAccountMethod, Readonly<Record<Channel, BankChannel>>>
> = {
  VA_BCA: {
    mobile: { name: 'BCA mobile', menu: ['m-Transfer', 'BCA Virtual Account'] },
    atm: { name: 'BCA', menu: ['Transaksi Lainnya', 'Transfer', 'Ke Rek BCA Virtual Account'] },
    internet: { name: 'KlikBCA', menu: ['Transfer Dana', 'Transfer ke BCA Virtual Account'] },
  },
  VA_BNI: {
    mobile: { name: 'BNI', menu: ['Transfer', 'Virtual Account Billing'] },
    atm: {
      name: 'BNI',
      menu: ['Menu Lainnya', 'Transfer', 'Rekening Tabungan', 'Virtual Account Billing'],
    },
    internet: { name: 'BNI', menu: ['Transfer', 'Virtual Account Billing'] },
  },
  VA_BRI: {
    mobile: { name: 'BRImo', menu: ['BRIVA', 'Pembayaran Baru'] },
    atm: { name: 'BRI', menu: ['Transaksi Lain', 'Pembayaran', 'Lainnya', 'BRIVA'] },
    internet: { name: 'BRI', menu: ['Pembayaran', 'BRIVA'] },
  },
  VA_MANDIRI: {
    mobile: { name: 'Livin’ by Mandiri', menu: ['Bayar/VA'] },
    atm: { name: 'Mandiri', menu: ['Bayar/Beli', 'Lainnya', 'Multi Payment'] },
    internet: { name: 'Mandiri', menu: ['Pembayaran', 'Multi Payment'] },
  },
  VA_PERMATA: {
    mobile: { name: 'PermataMobile X', menu: ['Bayar Tagihan', 'Virtual Account'] },
    atm: {
      name: 'Permata',
      menu: ['Transaksi Lainnya', 'Pembayaran', 'Pembayaran Lainnya', 'Virtual Account'],
    },
    internet: { name: 'PermataNet', menu: ['Pembayaran Tagihan', 'Virtual Account'] },
  },
};

/** One part for each channel; without scripts they open and close as well. `hasBillerCode`: two numbers are asked for. */
export function renderBankSteps(
  texts: Texts,
  method: VirtualAccountMethod,
  hasBillerCode: boolean,
): Html {
  const enter = hasBillerCode ? texts.enterCodeAndNumber : texts.enterNumber;
  const renderChannel = (channel: Channel): Html => {
    const { name, menu } = BANK_CHANNELS[method][channel];
    return renderHtml`<details class="channel" ${channel === CHANNELS[0] ? renderHtml`open` : null}>
      <summary>${texts.channels[channel]} <small>${renderVerbatim(name)}</small></summary>
      <ol>
        <li>${texts.enterChannel[channel]}</li>
        <li>${texts.chooseMenu} <b translate="no">${menu.join(' › ')}</b></li>
        <li>${enter}</li>
        <li>${texts.checkAndPay}</li>
      </ol>
    </details>`;
  };
  return renderHtml`${CHANNELS.map(renderChannel)}
    <p class="hint">${texts.menusDiffer}</p>`;
}
