// The notices that appear above a view. The part that draws them is loaded with the first notice.
import { useNotifications } from '@mantine/notifications';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';

/** Without its file, as after an update of the service, a notice is missing; the view stays. */
const ToastList = lazy(async (): Promise<{ default: ComponentType }> => {
  const file = await import('./toast-list.js').catch(() => null);
  return { default: file?.ToastList ?? (() => null) };
});

export function Toasts(): ReactNode {
  const { notifications } = useNotifications();
  const [isUsed, setIsUsed] = useState(false);
  if (notifications.length > 0 && !isUsed) setIsUsed(true);
  if (!isUsed) return null;
  return (
    <Suspense fallback={null}>
      <ToastList />
    </Suspense>
  );
}
