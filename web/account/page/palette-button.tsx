import Search from 'lucide-react/icons/search'
import { Suspense, useCallback, useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { usePaletteKey } from '../../ui/palette/use-palette-key.ts'
import { LazyPalette } from '../palette/lazy-palette.ts'
import styles from './palette-button.module.css'

/** Opens the palette, as Ctrl-K does. Its code is fetched then. */
export function PaletteButton() {
  const { t } = useTranslation('userBtns')
  const [open, setOpen] = useState(false)
  usePaletteKey(useCallback(() => setOpen(true), []))
  return (
    <>
      <button type="button" className={styles.open} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Search size={18} aria-hidden="true" />
        <span className={styles.text}>{t('find')}</span>
        <kbd translate="no" className={styles.key} aria-hidden="true">
          Ctrl K
        </kbd>
      </button>
      {open && (
        <Suspense fallback={null}>
          <LazyPalette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
