// Colours and shapes of the dashboard.
import {
  createTheme,
  Menu,
  Modal,
  Notification,
  type CSSVariablesResolver,
  type MantineColorsTuple,
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
  components: {
    // The library puts an element without a role into the menu, which may hold entries only.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    // The library renders the title of a dialog as a second banner of the page.
    Modal: Modal.extend({ defaultProps: { attributes: { header: { role: 'none' } } } }),
    // Notices go by themselves; the library's button to close them has no name.
    Notification: Notification.extend({ defaultProps: { withCloseButton: false } }),
  },
});

/**
 * Texts on every background of the dashboard have a contrast of at least 4.5:1; the library's own greys, and its red in the
 * dark, have less.
 */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59626c',
    '--mantine-color-placeholder': '#68717b',
    '--mantine-color-error': '#c02020',
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
