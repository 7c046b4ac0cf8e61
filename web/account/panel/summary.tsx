import ChevronUp from 'lucide-react/icons/chevron-up'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { type ReactNode, useState } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { countryName } from '#contract/countries'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { unusedCountries } from './matching.ts'
import { multiplierOfSettings } from './cascade.ts'
import type { Settings } from './settings.ts'
import styles from './summary.module.css'
import { useSummaryFacts } from './summary-facts.ts'

interface SummaryProps {
  settings: Settings
  pending: boolean
  onGenerate: () => void
  onReset: () => void
  onUndo: (() => void) | null
  /** The line that the settings make, and its figures. */
  children: ReactNode
}

/**
 * The settings at a glance, and the button that generates. On phones a bar at the bottom that expands
 * upwards.
 */
export function Summary({ settings, pending, onGenerate, onReset, onUndo, children }: SummaryProps) {
  const { t } = useTranslation(['userPanel', 'generator'])
  const [open, setOpen] = useState(false)
  const [isAll, setAll] = useState(false)
  const language = useLanguage()
  const facts = useSummaryFacts(settings)
  // The pool is always shown: it decides the price.
  const listed = facts.filter(({ isDefault }, index) => isAll || index === 0 || !isDefault)
  const unused = unusedCountries(settings)
    .map(({ code }) => countryName(code, language))
    .join(', ')
  const isDouble = multiplierOfSettings(settings) === 2
  return (
    <section className={styles.summary} aria-label={t('summary.title')}>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('summary.title')}</h2>
        {onUndo === null ? (
          <button type="button" className={styles.reset} onClick={onReset}>
            <RotateCcw size={16} aria-hidden="true" />
            <span>{t('summary.reset')}</span>
          </button>
        ) : (
          <button type="button" className={styles.reset} onClick={onUndo}>
            {t('summary.undo')}
          </button>
        )}
        <span className="sr-only" role="status">
          {onUndo === null ? '' : t('summary.resetDone')}
        </span>
      </div>
      {children}
      {/* Scrolls on a low screen, so the keyboard has to reach it. */}
      <dl tabIndex={0} className={classNames(styles.facts, open && styles.expanded)}>
        {listed.map(({ name, value, mono, isDefault }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd translate="no" className={classNames(mono && 'mono', isDefault && styles.default)}>
              {value}
            </dd>
          </div>
        ))}
        {(isAll || isDouble) && (
          <div className={styles.fact}>
            <dt>{t('summary.tariff')}</dt>
            <dd className={isDouble ? styles.double : styles.default}>
              {t(isDouble ? 'summary.double' : 'summary.single')}
            </dd>
          </div>
        )}
      </dl>
      <button
        type="button"
        className={classNames(styles.all, open && styles.expanded)}
        aria-expanded={isAll}
        onClick={() => setAll(!isAll)}
      >
        {t(isAll ? 'generator:summary.showChanged' : 'generator:summary.showAll')}
      </button>
      {isDouble && <p className={styles.warning}>{t('summary.doubleText')}</p>}
      {unused !== '' && <p className={styles.warning}>{t('generator:unused', { names: unused })}</p>}
      <div className={styles.actions}>
        <button type="button" className={styles.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className="sr-only">{`${t(open ? 'summary.hide' : 'summary.show')}: `}</span>
          <ChevronUp
            size={20}
            aria-hidden="true"
            className={classNames(styles.chevron, open && styles.turned)}
          />
          <span className={styles.short}>
            <span className={styles.shortPool}>{facts[0]?.value}</span>
            <span className={styles.shortPlaces}>
              {isDouble && <span className={styles.double}>×2 </span>}
              <span>
                {settings.countries.length === 0
                  ? t('region.everywhere')
                  : facts.find(({ name }) => name === t('summary.countries'))?.value}
              </span>
            </span>
          </span>
        </button>
        <Button
          variant="primary"
          size="large"
          pending={pending}
          onClick={onGenerate}
          className={styles.generate}
        >
          {t('summary.generate')}
        </Button>
      </div>
    </section>
  )
}
