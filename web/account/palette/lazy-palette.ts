import { loadTexts } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'

/** The palette, whose code and texts are fetched when it is opened. */
export const LazyPalette = lazyPart(async () => {
  const [{ AccountPalette }] = await Promise.all([
    import('./account-palette.tsx'),
    loadTexts('palette', 'docs', 'userBtns', 'userPanel'),
  ])
  return AccountPalette
})
