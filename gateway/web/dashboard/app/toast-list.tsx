// Draws the notices.
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import type { ReactNode } from 'react';

export const ToastList = (): ReactNode => <Notifications />;
