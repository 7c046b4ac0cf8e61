import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Menu from 'lucide-react/icons/menu'
import Search from 'lucide-react/icons/search'
import { Suspense, useCallback, useState } from 'react'
import { Link, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LogoMark } from '../../ui/graphics/logo.tsx'
import { usePaletteKey } from '../../ui/palette/use-palette-key.ts'
import { StepUpDialog } from '../entry/step-up-dialog.tsx'
import { useKeys } from '../parts/keys.ts'
import { useMay, useSession } from '../state/session.ts'
import styles from './frame.module.css'
import { ConnectionNotice } from './connection-notice.tsx'
import { FailedReads } from './failed-reads.tsx'
import { HelpDialog } from './help.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { pages } from './pages.ts'
import { Preferences } from './preferences.tsx'

/** With the names of all acts, which the first page does not need. */
const UndoNotice = lazyPart(async () => (await import('./undo-notice.tsx')).UndoNotice, 'deskActions')

/** The navigation beside every page, on a phone above it. */
export function Frame() {
  const { t } = useTranslation('desk')
  const { brand, shop_url: shopUrl } = useSession()
  const may = useMay()
  const { pathname } = useLocation()
  const [open, setOpen] = useState<'palette' | 'help' | 'menu' | null>(null)
  const [openedAt, setOpenedAt] = useState(pathname)
  if (openedAt !== pathname) {
    setOpenedAt(pathname)
    setOpen(null)
  }
  const navigate = useNavigate()
  const goes = pages
    .filter(({ key, needs }) => key !== undefined && may(needs))
    .map(({ key, path }) => [`g ${key}`, () => void navigate(path)] as const)
  useKeys({ '?': () => setOpen('help'), '/': () => setOpen('palette'), ...Object.fromEntries(goes) })
  usePaletteKey(useCallback(() => setOpen('palette'), []))
  const searchButton = (
    <button type="button" className={styles.search} onClick={() => setOpen('palette')}>
      <Search size={16} aria-hidden="true" />
      <span>{t('palette.open')}</span>
      <kbd translate="no" aria-hidden="true">
        Ctrl K
      </kbd>
    </button>
  )
  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        {t('skip')}
      </a>
      <ConnectionNotice />
      <header className={styles.side}>
        <Link to="/" className={styles.brand} aria-label={brand}>
          <LogoMark size={24} />
          <span className={styles.name}>{brand}</span>
        </Link>
        {searchButton}
        <button type="button" className={styles.menu} aria-label={t('menu')} onClick={() => setOpen('menu')}>
          <Menu size={20} aria-hidden="true" />
        </button>
        <div className={styles.wide}>
          <Navigation may={may} />
        </div>
        <div className={styles.foot}>
          <Preferences />
          <button type="button" className={styles.help} onClick={() => setOpen('help')}>
            <CircleQuestionMark size={16} aria-hidden="true" />
            <span>{t('help.title')}</span>
          </button>
          <a className={styles.help} href={shopUrl} target="_blank" rel="noreferrer">
            {t('openShop')}
          </a>
        </div>
      </header>
      <main id="content" className={styles.content} tabIndex={-1}>
        <FailedReads />
        <Outlet />
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'help' && <HelpDialog onClose={() => setOpen(null)} />}
      {open === 'menu' && (
        <Dialog open compact onClose={() => setOpen(null)} title={brand} closeLabel={t('close')}>
          <Navigation may={may} onChoose={() => setOpen(null)} />
          <Preferences />
        </Dialog>
      )}
      <Suspense>
        <UndoNotice />
      </Suspense>
      <StepUpDialog />
      <ScrollRestoration />
    </div>
  )
}
