// An entry of the navigation. Each area lists its own; the shell shows those that the role may use.
import type { LucideIcon } from 'lucide-react';
import type { Permission } from './session.js';
import type { Language } from '../text/language.js';

export interface NavigationEntry {
  /** The path below /dashboard. */
  readonly to: string;
  readonly name: Readonly<Record<Language, string>>;
  readonly icon: LucideIcon;
  readonly permission: Permission;
  /** Opens it after `g` (app/shortcuts). Unique among the entries that a role may use. */
  readonly letter: string;
}
