import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { AnswerDialog } from './answer-dialog.tsx'
import { SearchForm } from './search-form.tsx'
import { conditions, filtersOf } from './search.ts'
import styles from './connections.module.css'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Row = RowOf<'connections'>

/** Finds the customer behind a complaint: shows the connections that match its facts, and their owners. */
export function ConnectionsPage() {
  const { t } = useTranslation('deskTraffic')
  const [search, setSearch] = useSearchParams()
  // Not in the address: everyone who opens a link enters a reason of their own.
  const [reason, setReason] = useState('')
  const mayTargets = useMay()('complaint_answer')
  const [answered, setAnswered] = useState<string | null>(null)
  const wanted = useMemo(() => given(search, conditions), [search])
  const filters = useMemo(() => filtersOf(wanted, reason), [wanted, reason])
  const columns = useConnectionColumns({ reason, onAnswer: mayTargets ? setAnswered : null })
  const [isRefused, setRefused] = useState(false)
  const needsReason = (filters.target ?? filters.host) !== undefined && reason === ''
  return (
    <>
      <PageHead title={t('connections.title')} actions={<SavedViews />} />
      <div className={styles.page}>
        <p className={styles.lead}>{t('connections.lead')}</p>
        <SearchForm
          wanted={wanted}
          reason={reason}
          mayTargets={mayTargets}
          onRefused={setRefused}
          onSearch={(next, why) => {
            setReason(why)
            setSearch(next, { replace: true, preventScrollReset: true })
          }}
        />
        {isRefused ? null : needsReason ? (
          <p className={styles.lead} role="status">
            {t('connections.reasonFirst')}
          </p>
        ) : (
          <List
            call="connections"
            label={t('connections.title')}
            filters={filters}
            columns={columns}
            rowId={(row) => row.request_id}
            empty={<p>{t('connections.none')}</p>}
          />
        )}
      </div>
      {answered !== null && (
        <AnswerDialog requestId={answered} reason={reason} onClose={() => setAnswered(null)} />
      )}
    </>
  )
}

const endOf = (address: string, port: number | null) =>
  port === null ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`

interface ColumnsOptions {
  reason: string
  /** Null: the member may not answer complaints. */
  onAnswer: ((requestId: string) => void) | null
}

/** The exit with its place, and the address and port from which it connected. */
function ExitCell({ row: { exit, country, exit_ip: address, exit_port: port } }: { row: Row }) {
  return (
    <>
      <span>{[exit, country?.toUpperCase()].filter(Boolean).join(' · ')}</span>
      {address !== null && (
        <code translate="no" className={styles.second}>
          {endOf(address, port)}
        </code>
      )}
    </>
  )
}

function useConnectionColumns({ reason, onAnswer }: ColumnsOptions): readonly Column<Row>[] {
  const { t } = useTranslation(['deskTraffic', 'deskPages', 'header'])
  const { traffic, language } = useFigures()
  const reasonOf = useRefusalReason()
  return useMemo((): readonly Column<Row>[] => {
    const answer: Column<Row> = {
      id: 'answer',
      title: t('connections.complaint'),
      phone: true,
      cell: (row) => (
        <Button size="small" onClick={() => onAnswer?.(row.request_id)}>
          {t('connections.answer')}
        </Button>
      ),
    }
    return [
      {
        id: 'started',
        title: t('connections.started'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.started_at} exact />,
      },
      {
        id: 'duration',
        title: t('connections.duration'),
        numeric: true,
        cell: (row) =>
          t('connections.seconds', {
            seconds: (row.duration_ms / 1000).toLocaleString(language, { maximumFractionDigits: 1 }),
          }),
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        phone: true,
        cell: (row) =>
          row.customer_id === null ? (
            (row.login ?? '')
          ) : (
            <CustomerLink id={row.customer_id} name={row.customer_name} />
          ),
      },
      {
        id: 'target',
        title: t('connections.targetColumn'),
        cell: ({ target, target_ip: address }) =>
          target === null ? (
            <span className={styles.quiet}>
              {t(reason === '' ? 'connections.hidden' : 'connections.notKept')}
            </span>
          ) : (
            <>
              <span translate="no">{target}</span>
              {address !== null && (
                <code translate="no" className={styles.second}>
                  {address}
                </code>
              )}
            </>
          ),
      },
      {
        id: 'client',
        title: t('connections.from'),
        cell: ({ ip, port }) => <code translate="no">{ip === null ? null : endOf(ip, port)}</code>,
      },
      { id: 'exit', title: t('traffic.key.exit'), cell: (row) => <ExitCell row={row} /> },
      {
        id: 'pool',
        title: t('deskPages:column.pool'),
        optional: true,
        cell: ({ pool }) => pool !== null && t(`header:pools.${pool}`),
      },
      {
        id: 'protocol',
        title: t('connections.protocol'),
        optional: true,
        cell: ({ protocol }) => protocol,
      },
      {
        id: 'traffic',
        title: t('connections.traffic'),
        numeric: true,
        cell: (row) => traffic(BigInt(row.up_bytes) + BigInt(row.down_bytes)),
      },
      {
        id: 'charged',
        title: t('traffic.used'),
        numeric: true,
        optional: true,
        cell: (row) => traffic(row.charged_bytes),
      },
      {
        id: 'outcome',
        title: t('connections.outcome'),
        cell: ({ outcome, code, sentence }) =>
          code === null ? (
            outcome === 'done' ? (
              <span>{t('connections.done')}</span>
            ) : (
              <code translate="no">{outcome}</code>
            )
          ) : (
            <>
              <code translate="no">{code}</code> <span className={styles.quiet}>{reasonOf(code)}</span>
              {sentence !== null && <q className={styles.second}>{sentence}</q>}
            </>
          ),
      },
      {
        id: 'request',
        title: t('connections.request'),
        optional: true,
        cell: (row) => <code translate="no">{row.request_id}</code>,
      },
      ...(onAnswer === null ? [] : [answer]),
    ]
  }, [t, traffic, language, reason, onAnswer, reasonOf])
}
