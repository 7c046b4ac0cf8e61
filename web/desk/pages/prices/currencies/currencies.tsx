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
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const may = useMay()
  const known = useQuery(query('currencies', {}))
  const [open, setOpen] = useState<Opened | null>(null)
  const close = () => setOpen(null)
  const chosen = known.data?.currencies.find(({ code }) => open?.dialog === 'rate' && code === open.code)
  return (
    <div className={styles.page}>
      <Section
        title={t('deskCurrencies:title')}
        actions={
          may('set_rate') && (
            <div className={styles.acts}>
              <Button onClick={() => setOpen({ dialog: 'file' })}>{t('deskCurrencies:import')}</Button>
              <Button variant="primary" onClick={() => setOpen({ dialog: 'add' })}>
                {t('deskCurrencies:add')}
              </Button>
            </div>
          )
        }
      >
        <p className={styles.lead}>{t('deskCurrencies:lead')}</p>
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
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const display = useAct('set_display_currency')
  const columns = useColumns(onRate, (code, shown) => display.run({ currency: code, shown }))
  const { warn_days: warn, close_days: days, currencies } = known
  return (
    <>
      <p className={styles.quiet}>
        {days === 0
          ? t('deskCurrencies:agesForever', { warn })
          : t('deskCurrencies:ages', { warn, close: days })}
      </p>
      {display.fault !== undefined && <Fault text={display.fault} />}
      {currencies.length === 0 ? (
        <p>{t('deskCurrencies:empty')}</p>
      ) : (
        <PlainTable
          table="currencies"
          label={t('deskCurrencies:title')}
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
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { language } = useFigures()
  const may = useMay()
  const methodName = useMethodName()
  return [
    {
      id: 'code',
      title: t('deskCurrencies:currency'),
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
      title: t('deskCurrencies:perUsd'),
      phone: true,
      numeric: true,
      cell: ({ rate }) => (
        <span className={styles.rate}>
          <span>{rate?.per_usd}</span>
          {rate === null ? (
            <Badge tone="quiet">{t('deskCurrencies:none')}</Badge>
          ) : (
            <Badge tone={tones[rate.state]}>{t(`deskCurrencies:stateOf.${rate.state}`)}</Badge>
          )}
        </span>
      ),
    },
    {
      id: 'on',
      title: t('deskCurrencies:of'),
      cell: ({ rate }) => (rate === null ? '' : formatDay(rate.on, language)),
    },
    {
      id: 'used',
      title: t('deskCurrencies:used'),
      cell: ({ shown, methods }) => {
        const uses = [...(shown ? [t('deskCurrencies:shown')] : []), ...methods.map(methodName)]
        return uses.length === 0 ? (
          <span className={styles.quiet}>{t('deskCurrencies:unused')}</span>
        ) : (
          uses.join(', ')
        )
      },
    },
    ...(may('set_rate')
      ? [
          {
            id: 'acts',
            title: t('deskCurrencies:acts'),
            phone: true,
            fixed: true,
            cell: ({ code, shown }: Currency) => (
              <div className={styles.acts}>
                <Button
                  size="small"
                  aria-label={t('deskCurrencies:setOf', { code })}
                  onClick={() => onRate(code)}
                >
                  {t('deskCurrencies:set')}
                </Button>
                <Button
                  size="small"
                  aria-label={t(shown ? 'deskCurrencies:hideOf' : 'deskCurrencies:showOf', { code })}
                  onClick={() => onShow(code, !shown)}
                >
                  {t(shown ? 'deskCurrencies:hide' : 'deskCurrencies:show')}
                </Button>
              </div>
            ),
          },
        ]
      : []),
  ]
}
