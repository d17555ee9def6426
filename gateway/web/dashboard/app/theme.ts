// Colours and shapes of the dashboard.
import {
  type AlertProps,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
} from '@mantine/core';

/** The blue of the customers' pages (gateway/web/checkout.css), from light to dark. */
const BRAND: MantineColorsTuple = [
  ...(['#eef4fc', '#d9e6f7', '#b0cbee', '#84aee5', '#6096dd'] as const),
  ...(['#4a87d9', '#3f7fd7', '#1d5fb8', '#0b5cad', '#084a8c'] as const),
];

export const theme = createTheme({
  primaryColor: 'brand',
  colors: { brand: BRAND },
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: '650' },
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects: `Modal.extend` would load each component with the first script.
  components: {
    // The library puts an element without a role into the menu, which may hold entries only.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    // The library renders the title of a dialog as a second banner of the page.
    Modal: {
      defaultProps: { attributes: { header: { role: 'none' } } } satisfies Partial<ModalProps>,
    },
    // An e-mail address is one long word.
    Alert: {
      styles: { body: { minWidth: 0, overflowWrap: 'anywhere' } } satisfies AlertProps['styles'],
    },
    // Notices go by themselves; the library's button to close them has no name.
    Notification: { defaultProps: { withCloseButton: false } satisfies Partial<NotificationProps> },
  },
});

/**
 * Texts on every background of the dashboard have a contrast of at least 4.5:1; the library's own greys, its titles on yellow
 * (2.7:1), and its red in the dark, have less.
 */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626c',
    '--mantine-color-placeholder': '#68717b',
    '--mantine-color-error': '#c02020',
    '--mantine-color-yellow-light-color': '#8a4b00',
  },
  dark: {
    '--mantine-color-dimmed': '#a9aeb5',
    '--mantine-color-placeholder': '#9ba1a8',
    '--mantine-color-anchor': '#9cc1f2',
    '--mantine-color-error': '#ff9a9a',
    '--mantine-color-red-filled': 'var(--mantine-color-red-8)',
    '--mantine-color-red-filled-hover': 'var(--mantine-color-red-9)',
  },
});
