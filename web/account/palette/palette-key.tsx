import { Suspense, useCallback, useState } from 'react'
import { usePaletteKey } from '../../ui/palette/use-palette-key.ts'
import { LazyPalette } from './lazy-palette.ts'

/** Opens the palette by Ctrl-K on pages without its button. */
export function PaletteKey() {
  const [open, setOpen] = useState(false)
  usePaletteKey(useCallback(() => setOpen(true), []))
  return (
    open && (
      <Suspense fallback={null}>
        <LazyPalette onClose={() => setOpen(false)} />
      </Suspense>
    )
  )
}
