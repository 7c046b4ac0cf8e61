import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import '../ui/styles/fonts.css'
import '../ui/styles/tokens.css'
import '../ui/styles/base.css'
import './desk.css'
import { chosenLanguage, initLanguage, loadTexts } from '../state/i18n.ts'
import { createRouter } from './frame/router.tsx'
import { queryClient } from './state/api.ts'
import { applyTheme, storedTheme } from './state/theme.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')

applyTheme(storedTheme())
await Promise.all([
  initLanguage(chosenLanguage() ?? (navigator.language.startsWith('ru') ? 'ru' : 'en')),
  loadTexts('desk'),
])
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
root.dataset['live'] = ''
