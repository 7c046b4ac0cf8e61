import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../../state/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { formatDay } from '../../../../ui/format-time.ts'
import { currencyName } from '../../../../ui/format.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Fault, Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/section.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { query } from '../../../state/api.ts'
import { useMay } from '../../../state/session.ts'
import { useAct } from '../../../state/use-act.ts'
import { useMethodName } from '../../../subjects/method-name.ts'
import type { Column } from '../../../table/columns.ts'
import { PlainTable } from '../../../table/plain-table.tsx'
import type { Currency } from './rate-form.ts'
import { AddDialog } from './add-dialog.tsx'
import styles from './currencies.module.css'
import { RateDialog } from './rate-dialog.tsx'
import { RateHistory } from './rate-history.tsx'
import { RatesFileDialog } from './rates-file-dialog.tsx'

type Known = DeskOutput<'currencies'>

type Opened = { dialog: 'add' | 'file' } | { dialog: 'rate'; code: string }

/** The currencies in which prices are shown or charged: their rates, how old these are, and their history. */
export function Currencies() {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const known = useQuery(query('currencies', {}))
  const [open, setOpen] = useState<Opened | null>(null)
  const close = () => setOpen(null)
  const chosen = known.data?.currencies.find(({ code }) => open?.dialog === 'rate' && code === open.code)
  return (
    <div className={styles.page}>
      <Section
        title={t('currencies.title')}
        actions={
          may('set_rate') && (
            <div className={styles.acts}>
              <Button onClick={() => setOpen({ dialog: 'file' })}>{t('currencies.import')}</Button>
              <Button variant="primary" onClick={() => setOpen({ dialog: 'add' })}>
                {t('currencies.add')}
              </Button>
            </div>
          )
        }
      >
        <p className={styles.lead}>{t('currencies.lead')}</p>
        <Loaded query={known}>
          {(data) => <Table known={data} onRate={(code) => setOpen({ dialog: 'rate', code })} />}
        </Loaded>
      </Section>
      {may('rate_changes') && <RateHistory />}
      {open?.dialog === 'add' && <AddDialog known={known.data?.currencies ?? []} onClose={close} />}
      {open?.dialog === 'file' && <RatesFileDialog onClose={close} />}
      {chosen !== undefined && <RateDialog currency={chosen} onClose={close} />}
    </div>
  )
}

function Table({ known, onRate }: { known: Known; onRate: (code: string) => void }) {
  const { t } = useTranslation('deskPages')
  const display = useAct('set_display_currency')
  const columns = useColumns(onRate, (code, shown) => display.run({ currency: code, shown }))
  const { warn_days: warn, close_days: days, currencies } = known
  return (
    <>
      <p className={styles.quiet}>
        {days === 0 ? t('currencies.agesForever', { warn }) : t('currencies.ages', { warn, close: days })}
      </p>
      {display.fault !== undefined && <Fault text={display.fault} />}
      {currencies.length === 0 ? (
        <p>{t('currencies.empty')}</p>
      ) : (
        <PlainTable
          table="currencies"
          label={t('currencies.title')}
          columns={columns}
          rows={currencies}
          rowId={({ code }) => code}
        />
      )}
    </>
  )
}

const tones = { fresh: 'good', old: 'warning', closed: 'bad' } as const

function useColumns(
  onRate: (code: string) => void,
  onShow: (code: string, shown: boolean) => void,
): readonly Column<Currency>[] {
  const { t } = useTranslation('deskPages')
  const { language } = useFigures()
  const may = useMay()
  const methodName = useMethodName()
  return [
    {
      id: 'code',
      title: t('currencies.currency'),
      fixed: true,
      phone: true,
      cell: ({ code }) => (
        <span className={styles.code}>
          <span>{code}</span>
          <span className={styles.quiet}>{currencyName(code, language)}</span>
        </span>
      ),
    },
    {
      id: 'rate',
      title: t('currencies.perUsd'),
      phone: true,
      numeric: true,
      cell: ({ rate }) => (
        <span className={styles.rate}>
          <span>{rate?.per_usd}</span>
          {rate === null ? (
            <Badge tone="quiet">{t('currencies.none')}</Badge>
          ) : (
            <Badge tone={tones[rate.state]}>{t(`currencies.stateOf.${rate.state}`)}</Badge>
          )}
        </span>
      ),
    },
    {
      id: 'on',
      title: t('currencies.of'),
      cell: ({ rate }) => (rate === null ? '' : formatDay(rate.on, language)),
    },
    {
      id: 'used',
      title: t('currencies.used'),
      cell: ({ shown, methods }) => {
        const uses = [...(shown ? [t('currencies.shown')] : []), ...methods.map(methodName)]
        return uses.length === 0 ? (
          <span className={styles.quiet}>{t('currencies.unused')}</span>
        ) : (
          uses.join(', ')
        )
      },
    },
    ...(may('set_rate')
      ? [
          {
            id: 'acts',
            title: t('currencies.acts'),
            phone: true,
            fixed: true,
            cell: ({ code, shown }: Currency) => (
              <div className={styles.acts}>
                <Button
                  size="small"
                  aria-label={t('currencies.setOf', { code })}
                  onClick={() => onRate(code)}
                >
                  {t('currencies.set')}
                </Button>
                <Button
                  size="small"
                  aria-label={t(shown ? 'currencies.hideOf' : 'currencies.showOf', { code })}
                  onClick={() => onShow(code, !shown)}
                >
                  {t(shown ? 'currencies.hide' : 'currencies.show')}
                </Button>
              </div>
            ),
          },
        ]
      : []),
  ]
}
