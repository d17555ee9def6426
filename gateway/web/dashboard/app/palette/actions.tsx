// Entries of the command palette that begin something, and those that open an object by its id.
import { useNavigate } from '@tanstack/react-router';
import FilePlus from 'lucide-react/icons/file-plus';
import HandCoins from 'lucide-react/icons/hand-coins';
import Languages from 'lucide-react/icons/languages';
import ToggleLeft from 'lucide-react/icons/toggle-left';
import type { LucideIcon } from 'lucide-react';
import { ENVIRONMENTS, useEnvironment } from '@dashboard/shared/session/environment.js';
import { type Permission, useCan, useSession } from '@dashboard/shared/session/session.js';
import { LANGUAGES, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHELL_TEXTS } from '../navigation/texts.js';
import type { PaletteEntry } from './entries.js';
import classes from './palette.module.css';
import { PALETTE_TEXTS } from './texts.js';

const ICON_SIZE = 18;

interface Action {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly permission?: Permission;
  readonly run: () => void;
}

/** The actions that the role may take and the words name. Without words there are none: the views come first. */
export function useActions(query: string): readonly PaletteEntry[] {
  const can = useCan();
  const actions = useAllActions();
  const words = query.toLowerCase().split(/\s+/);
  if (query === '') return [];
  return actions
    .filter(({ permission }) => permission === undefined || can(permission))
    .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
    .map(({ name, icon: Icon, run }) => ({
      key: name,
      content: (
        <>
          <Icon size={ICON_SIZE} aria-hidden />
          <span className={classes.main}>{name}</span>
        </>
      ),
      open: run,
    }));
}

function useAllActions(): readonly Action[] {
  const texts = useTexts(PALETTE_TEXTS);
  const { languages } = useTexts(SHELL_TEXTS);
  const { language, choose } = useLanguage();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { merchant } = useSession();
  const switches = merchant === null ? [] : ENVIRONMENTS.filter((each) => each !== environment);
  return [
    {
      ...{ name: texts.newInvoice, icon: FilePlus, permission: 'change_invoices' as const },
      run: () => void navigate({ to: '/invoices/new' }),
    },
    {
      ...{ name: texts.newPayout, icon: HandCoins, permission: 'change_payouts' as const },
      run: () => void navigate({ to: '/payouts/new' }),
    },
    ...switches.map((other) => ({
      ...{ name: texts.switchTo(other), icon: ToggleLeft },
      run: () => void navigate({ to: '/', search: { environment: other } }),
    })),
    ...LANGUAGES.filter((each) => each !== language).map((other) => ({
      ...{ name: languages[other], icon: Languages },
      run: () => {
        choose(other);
      },
    })),
  ];
}

/** By the prefix of their ids; payments are found by their words. `$id` stands for the id. */
const VIEWS = {
  ref: { path: '/refunds/$id', permission: 'read_payments' },
  po: { path: '/payouts/$id', permission: 'read_payouts' },
  plink: { path: '/payment-links/$id', permission: 'read_payment_links' },
  inv: { path: '/invoices/$id', permission: 'read_invoices' },
  we: { path: '/webhooks/$id', permission: 'read_webhooks' },
  del: { path: '/webhooks/deliveries/$id', permission: 'read_webhooks' },
  req: { path: '/api-logs/$id', permission: 'read_api_logs' },
} as const satisfies Record<string, { readonly path: string; readonly permission: Permission }>;
type Prefix = keyof typeof VIEWS;

const ID = /^(ref|po|plink|inv|we|del|req)_[0-9a-z]{20,40}$/;

/** The object whose id the query is. Its view says so if there is none. */
export function useObject(query: string): readonly PaletteEntry[] {
  const texts = useTexts(PALETTE_TEXTS);
  const can = useCan();
  const navigate = useNavigate();
  const prefix = ID.exec(query)?.[1] as Prefix | undefined;
  if (prefix === undefined || !can(VIEWS[prefix].permission)) return [];
  return [
    {
      key: query,
      content: <span className={classes.main}>{`${texts.objects[prefix]} ${query}`}</span>,
      open: () => void navigate({ to: VIEWS[prefix].path.replace('$id', query) }),
    },
  ];
}
