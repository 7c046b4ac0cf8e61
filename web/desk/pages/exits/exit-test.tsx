import { useEffect, useRef, useState } from 'react'
import { countryName } from '#contract/countries'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import styles from './exits.module.css'

interface ExitTestProps {
  pending: boolean
  fault: string | undefined
  result: DeskOutput<'test_exit'> | undefined
  /** Fetches the shop's echo through the exit, with the settings of a line if there are any. */
  onTest: (settings: { line?: string }) => void
}

/** A test of an exit, saved or not: the settings of the line, and the result. */
export function ExitTest({ pending, fault, result, onTest }: ExitTestProps) {
  const { t } = useTranslation('deskPages')
  const { number, language } = useFigures()
  const nameOf = (code: string | null, none: 'exits.testAnyCountry' | 'exits.testUnknownCountry') =>
    code === null ? t(none) : countryName(code, language)
  const [line, setLine] = useState('')
  /** The outcome is at the end of a form that may be longer than the window. */
  const outcome = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (fault !== undefined || result !== undefined) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [fault, result])
  const settings = line.trim() === '' ? {} : { line: line.trim() }
  return (
    <div className={styles.test}>
      <div className={styles.line}>
        <TextField
          label={t('exits.testLine')}
          placeholder="cc-us"
          value={line}
          onChange={(event) => setLine(event.target.value)}
          spellCheck={false}
          mono
        />
        <Button pending={pending} onClick={() => onTest(settings)}>
          {t('exits.test')}
        </Button>
      </div>
      <div ref={outcome} className={styles.outcome}>
        {fault !== undefined && <Fault text={fault} />}
        {result !== undefined && !result.worked && <Fault text={result.fault ?? t('exits.testFailed')} />}
        {result?.worked === true && (
          <div role="status">
            <p>
              {t('exits.testWorked', {
                ms: number(Math.round(result.took_ms)),
                address: result.seen_from ?? '',
              })}
            </p>
            <p>
              {t('exits.testCountries', {
                asked: nameOf(result.country, 'exits.testAnyCountry'),
                registered: nameOf(result.registered_country, 'exits.testUnknownCountry'),
              })}
            </p>
          </div>
        )}
      </div>
    </div>
  )
}
