import Search from 'lucide-react/icons/search'
import { Suspense, useCallback, useState } from 'react'
import { lazyPart } from '../../state/loading/code.ts'
import { loadTexts, useTranslation } from '../../state/i18n.ts'
import { usePaletteKey } from '../../ui/palette/use-palette-key.ts'
import styles from './palette-button.module.css'

const Palette = lazyPart(async () => {
  const [{ AccountPalette }] = await Promise.all([
    import('../palette/account-palette.tsx'),
    loadTexts('palette', 'docs'),
  ])
  return AccountPalette
})

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
        <kbd className={styles.key} aria-hidden="true">
          Ctrl K
        </kbd>
      </button>
      {open && (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
