// The entries of the area developers in the navigation.
import KeyRound from 'lucide-react/icons/key-round';
import Rocket from 'lucide-react/icons/rocket';
import ScrollText from 'lucide-react/icons/scroll-text';
import Webhook from 'lucide-react/icons/webhook';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

export const DEVELOPERS_NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/first-steps',
    name: { en: 'First steps', id: 'Langkah awal' },
    icon: Rocket,
    permission: 'read_keys',
    letter: 'f',
  },
  {
    to: '/api-keys',
    name: { en: 'API keys', id: 'Kunci API' },
    icon: KeyRound,
    permission: 'read_keys',
    letter: 'k',
  },
  {
    to: '/webhooks',
    name: { en: 'Webhooks', id: 'Webhook' },
    icon: Webhook,
    permission: 'read_webhooks',
    letter: 'w',
  },
  {
    to: '/api-logs',
    name: { en: 'API logs', id: 'Log API' },
    icon: ScrollText,
    permission: 'read_api_logs',
    letter: 'a',
  },
];
