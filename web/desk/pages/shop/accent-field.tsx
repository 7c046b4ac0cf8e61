import Check from 'lucide-react/icons/check'
import X from 'lucide-react/icons/x'
import {
  failingPair,
  isColour,
  nearestAccent,
  ownAccent,
  type Pair,
  pairsOf,
  type Theme,
  tokensOf,
} from '#contract/colours'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import styles from './brand.module.css'
import { type Editor, Field } from './editor.tsx'
import { valueAt, withValueAt } from './paths.ts'

/** The field of a theme's accent, and the contrast of every pair of colours that follows from it. */
export function AccentField({ editor, theme }: { editor: Editor; theme: Theme }) {
  const { t } = useTranslation('deskShop')
  const path = ['accent', theme]
  const value = valueAt(editor.value, path)
  const typed = typeof value === 'string' ? value : ''
  const set = (colour: string) => editor.set(withValueAt(editor.value, path, colour))
  const failing = isColour(typed) ? failingPair(typed, theme) : null
  return (
    <div className={styles.accent} role="group" aria-label={t(`brand.theme.${theme}`)}>
      <div className={styles.chosen}>
        <input
          type="color"
          className={styles.well}
          aria-label={t('brand.pick', { theme: t(`brand.theme.${theme}`) })}
          disabled={editor.readOnly}
          value={isColour(typed) ? typed : '#000000'}
          onChange={({ target }) => set(target.value.toLowerCase())}
        />
        <Field
          editor={editor}
          path={path}
          label={t(`brand.theme.${theme}`)}
          hint={t('brand.colourHint')}
          mono
          lowerCase
        />
      </div>
      {!isColour(typed) ? (
        <p className={styles.fault}>{t('brand.noColour')}</p>
      ) : (
        <ul className={styles.pairs}>
          {pairsOf(typed, theme).map((pair) => (
            <PairLine key={pair.name} pair={pair} />
          ))}
        </ul>
      )}
      {failing !== null && <Nearest accent={typed} theme={theme} onTake={set} readOnly={editor.readOnly} />}
      {!editor.readOnly && typed !== ownAccent[theme] && (
        <Button size="small" onClick={() => set(ownAccent[theme])}>
          {t('brand.toOwn')}
        </Button>
      )}
    </div>
  )
}

function PairLine({ pair: { name, front, back, ratio, least } }: { pair: Pair }) {
  const { t } = useTranslation('deskShop')
  const language = useLanguage()
  const decimal = (value: number) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value)
  const passes = ratio >= least
  // Rounded down, so that an insufficient contrast is never displayed as sufficient.
  const shown = decimal(Math.floor(ratio * 100) / 100)
  return (
    <li className={styles.pair} data-fails={passes ? undefined : ''}>
      <span className={styles.sample} style={{ background: back, color: front }} aria-hidden="true">
        {name === 'fill' || name === 'edge' ? <span style={{ background: front }} /> : t('brand.sample')}
      </span>
      <span>{t(`brand.pair.${name}`)}</span>
      <span translate="no" className="mono">
        {t('brand.ratio', { ratio: shown, least: decimal(least) })}
      </span>
      {passes ? (
        <Check size={16} aria-label={t('brand.passes')} />
      ) : (
        <X size={16} aria-label={t('brand.fails')} />
      )}
    </li>
  )
}

interface NearestProps {
  accent: string
  theme: Theme
  readOnly: boolean
  onTake: (colour: string) => void
}

function Nearest({ accent, theme, readOnly, onTake }: NearestProps) {
  const { t } = useTranslation('deskShop')
  const near = nearestAccent(accent, theme)
  const { paint, 'on-paint': text } = tokensOf(near, theme)
  return (
    <p className={styles.nearest} role="status">
      <span>{t('brand.nearest')}</span>{' '}
      <span className={styles.swatch} style={{ background: paint, color: text }}>
        {near}
      </span>
      {!readOnly && (
        <Button size="small" onClick={() => onTake(near)}>
          {t('brand.take')}
        </Button>
      )}
    </p>
  )
}
