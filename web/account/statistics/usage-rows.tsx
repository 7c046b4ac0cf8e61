import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { classNames } from '../../ui/class-names.ts'
import type { ReportRow } from './report.ts'
import styles from './usage-rows.module.css'
import { useTrafficFigure } from './use-traffic-figure.ts'

interface UsageRowsProps {
  label: string
  heading: string
  rows: readonly ReportRow[]
  nameOf: (row: ReportRow) => string
  /** Shows one value by day; missing: rows are times. */
  onChoose?: ((row: ReportRow) => void) | undefined
}

/** Rows of usage with their shares of the largest; a list for screen readers, with all figures. */
export function UsageRows({ label, heading, rows, nameOf, onChoose }: UsageRowsProps) {
  const { t } = useTranslation('usage')
  const { number } = useFormat()
  const figure = useTrafficFigure()
  const most = rows.reduce((max, { charged_bytes: bytes }) => Math.max(max, bytes), 0)
  return (
    <div>
      <div className={classNames(styles.row, styles.head)} aria-hidden="true">
        <span>{heading}</span>
        <span />
        <span className={styles.figure}>{t('total')}</span>
        <span className={classNames(styles.figure, styles.wide)}>{t('requests')}</span>
        <span className={classNames(styles.figure, styles.wide)}>{t('refused')}</span>
      </div>
      <ol aria-label={label}>
        {rows.map((row) => {
          const name = nameOf(row)
          const share = most === 0 ? 0 : Math.max(0, row.charged_bytes) / most
          return (
            <li
              key={`${row.kind} ${row.key} ${row.target}`}
              className={classNames(styles.row, row.kind !== 'key' && styles.rest)}
            >
              {onChoose === undefined || row.kind !== 'key' ? (
                <span
                  className={styles.name}
                  title={row.kind === 'difference' && onChoose !== undefined ? t('differenceText') : name}
                >
                  {name}
                </span>
              ) : (
                <button
                  type="button"
                  className={classNames(styles.name, styles.choose)}
                  title={name}
                  aria-label={t('showDays', { value: name })}
                  onClick={() => onChoose(row)}
                >
                  {name}
                </button>
              )}
              <span className={styles.track} aria-hidden="true">
                {share > 0 && (
                  <span className={styles.bar} style={{ width: `${(share * 100).toFixed(3)}%` }} />
                )}
              </span>
              <Figure name={t('total')} text={figure(BigInt(row.charged_bytes))} />
              <Figure name={t('requests')} text={number(row.requests)} wide />
              <Figure name={t('refused')} text={row.refused === null ? '—' : number(row.refused)} wide />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function Figure({ name, text, wide }: { name: string; text: string; wide?: boolean }) {
  return (
    <span translate="no" className={classNames(styles.figure, 'mono', wide && styles.wide)}>
      <span className="sr-only">{`${name}: `}</span>
      <span>{text}</span>
    </span>
  )
}
