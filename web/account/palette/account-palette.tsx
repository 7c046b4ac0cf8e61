import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { signOut } from '../../state/sign-out.ts'
import { useFormat } from '../../state/use-format.ts'
import { matching } from '../../ui/palette/matching.ts'
import { Palette } from '../../ui/palette/palette.tsx'
import { invoiceHref, requestHref } from '#contract/account-tabs'
import { type Choice, useCommand } from './use-command.ts'
import { useDocs, usePages } from './use-pages.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The characters of a complete invoice number. */
const wholeNumber = /^[0-9a-z]{16,64}$/i
const maxInvoices = 6
const maxDocs = 12

/**
 * The command palette of the account: pages, invoices, the documentation, and commands of the generator. It
 * also opens on pages without reads, so it provides the cache of reads.
 */
export function AccountPalette({ onClose }: { onClose: () => void }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Choices onClose={onClose} />
    </QueryClientProvider>
  )
}

function Choices({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('palette')
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const pages = usePages()
  const docs = useDocs()
  const invoices = useInvoices(typed)
  const command = useCommand(typed)
  const choices = useMemo((): Choice[] => {
    const id = typed.trim().toLowerCase()
    if (uuid.test(id))
      return [{ key: 'request', title: `${t('request')} ${id}`, note: t('page'), to: requestHref(id) }]
    const named = matching(pages, typed)
    const isBlank = typed.trim() === ''
    const isInvoice = invoices.found.some(({ title }) => title.toLowerCase() === typed.trim().toLowerCase())
    if (isInvoice) return invoices.found
    return [
      // A word such as «рефералы» is a page first; «germany 20» can only be a command.
      ...(command === null || command.isDoubtful ? named : []),
      ...(command === null ? [] : [command.choice]),
      ...(command === null || command.isDoubtful ? [] : named),
      ...invoices.found,
      ...(isBlank ? [] : matching(docs, typed).slice(0, maxDocs)),
    ]
  }, [command, docs, invoices.found, pages, t, typed])
  return (
    <Palette
      typed={typed}
      choices={choices}
      labels={{ title: t('title'), close: t('close'), field: t('field'), results: t('results') }}
      onType={setTyped}
      onChoose={({ to }) => (to === null ? signOut() : void navigate(to))}
      onClose={onClose}
    >
      {choices.length === 0 && <p role="status">{t('nothing')}</p>}
      {invoices.isFailed && <p role="status">{t('failed')}</p>}
    </Palette>
  )
}

/**
 * The latest invoices whose number contains what is typed, and the one of exactly this number, however old.
 */
function useInvoices(typed: string) {
  const { t } = useTranslation('userPanel')
  const { usd } = useFormat()
  const language = useLanguage()
  const wanted = typed.trim().toLowerCase()
  const { data, isError } = useQuery(query('invoices', {}))
  const isListed = data?.some(({ number }) => number.toLowerCase() === wanted) ?? true
  const older = useOptionalRead({
    ...query('invoice', { number: wanted }),
    enabled: wholeNumber.test(wanted) && !isListed,
    retry: false,
  })
  const found = useMemo((): Choice[] => {
    if (wanted.length < 2) return []
    return [...(data ?? []), ...(older === undefined || isListed ? [] : [older])]
      .filter(({ number }) => number.toLowerCase().includes(wanted))
      .slice(0, maxInvoices)
      .map(({ number, state, cost_usd, created_at }) => ({
        key: `invoice-${number}`,
        title: number,
        note: [
          t(`invoices.state.${state}`),
          usd(cost_usd),
          new Date(created_at).toLocaleDateString(language),
        ].join(' · '),
        to: invoiceHref(number),
      }))
  }, [data, isListed, language, older, t, usd, wanted])
  return { found, isFailed: isError }
}
