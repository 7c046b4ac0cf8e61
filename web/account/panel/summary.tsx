import ChevronUp from 'lucide-react/icons/chevron-up'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import { useState } from 'react'
import { useTranslation } from '../../app/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { tariffOf } from './cascade.ts'
import type { Settings } from './settings.ts'
import styles from './summary.module.css'
import { useSummaryFacts } from './summary-facts.ts'

interface SummaryProps {
  settings: Settings
  pending: boolean
  onGenerate: () => void
  onReset: () => void
  onUndo: (() => void) | null
}

/** All that is set, at a glance, and the way on. On a phone it is a strip at the foot that opens upwards. */
export function Summary({ settings, pending, onGenerate, onReset, onUndo }: SummaryProps) {
  const { t } = useTranslation('userPanel')
  const [open, setOpen] = useState(false)
  const facts = useSummaryFacts(settings)
  const double = tariffOf(settings) === 2
  return (
    <section className={styles.summary} aria-label={t('summary.title')}>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('summary.title')}</h2>
        {onUndo === null ? (
          <button type="button" className={styles.quiet} onClick={onReset}>
            <RotateCcw size={16} aria-hidden="true" />
            {t('summary.reset')}
          </button>
        ) : (
          <button type="button" className={styles.quiet} onClick={onUndo}>
            {t('summary.undo')}
          </button>
        )}
        <span className="sr-only" role="status">
          {onUndo === null ? '' : t('summary.resetDone')}
        </span>
      </div>
      {/* On a low screen it scrolls by itself, which a keyboard must be able to do as well. */}
      <dl tabIndex={0} className={classes(styles.facts, open && styles.opened)}>
        {facts.map(({ name, value, mono, isDefault }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd className={classes(mono && 'mono', isDefault && styles.calm)}>{value}</dd>
          </div>
        ))}
        <div className={styles.fact}>
          <dt>{t('summary.tariff')}</dt>
          <dd className={double ? styles.double : styles.calm}>
            {t(double ? 'summary.double' : 'summary.single')}
          </dd>
        </div>
      </dl>
      {double && <p className={styles.warning}>{t('summary.doubleText')}</p>}
      <div className={styles.acts}>
        <button type="button" className={styles.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className="sr-only">{t(open ? 'summary.hide' : 'summary.show')}: </span>
          <ChevronUp
            size={20}
            aria-hidden="true"
            className={classes(styles.chevron, open && styles.turned)}
          />
          <span className={styles.short}>
            <span className={styles.shortPool}>{facts[0]?.value}</span>
            <span className={styles.shortPlaces}>
              {double && <span className={styles.double}>×2 </span>}
              {settings.countries.length === 0 ? t('region.everywhere') : facts[2]?.value}
            </span>
          </span>
        </button>
        <Button
          variant="paint"
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
