import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { IconContext } from 'react-icons';
import { createQueryClient } from './app/query-client.js';
import { router } from './app/router.js';
import { sessionStore } from './app/session/session-store.js';
import { cssVariables, theme } from './app/theme.js';

const container = document.getElementById('root');
if (!container) throw new Error('The page has no element #root');
const queries = createQueryClient();
/** Size of icons without a size of their own, in CSS pixels. */
const ICONS = { size: '24' };

// The data of a person must not be shown to the next one who signs in on this page.
sessionStore.subscribe(() => {
  if (sessionStore.get().status === 'signed-out') queries.clear();
  void router.invalidate();
});

createRoot(container).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <IconContext.Provider value={ICONS}>
        <Notifications position="top-center" />
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </IconContext.Provider>
    </MantineProvider>
  </StrictMode>,
);
