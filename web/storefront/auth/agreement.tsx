/** The consents at sign-up: the documents of the shop, and separately the processing of personal data. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import type { Input, Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { consentGroups, documentPaths } from '#contract/legal/consents'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useLocalPath } from '../../state/language.ts'
import { Button } from '../../ui/button.tsx'
import styles from './agreement.module.css'

type SignUpDocument = Output<'sign_up_documents'>[number]

/** The current documents for the consents at sign-up. */
const signUpDocumentsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['sign_up_documents', language] as const,
    queryFn: ({ signal }): Promise<SignUpDocument[]> => call('sign_up_documents', {}, { signal }),
  })

interface Box {
  name: 'terms' | 'personal_data'
  documents: SignUpDocument[]
  isTicked: boolean
}

export interface Agreement {
  boxes: Box[]
  tick: (name: Box['name'], isTicked: boolean) => void
  /** The required box that is not ticked; `unread`: the documents have not loaded yet. */
  missing: Box['name'] | 'unread' | null
  /** The consents in the sign-up call. */
  consents: NonNullable<Input<'signup'>['consents']>
  /** Reads the current documents again; all consents are reset. */
  renew: () => Promise<void>
  /** The documents could not be read; `isPending`: they are being read now. */
  isUnread: boolean
  isPending: boolean
}

export function useAgreement(): Agreement {
  const { data, isError, isFetching, refetch } = useQuery(signUpDocumentsQuery(useLanguage()))
  // The hashes of the ticked documents: a document that changes becomes unticked.
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const boxes = consentGroups.flatMap((group): Box[] => {
    const documents = (data ?? []).filter(({ document }) => group.some((each) => each === document))
    if (documents.length === 0) return []
    return [{ name: group[0], documents, isTicked: documents.every(({ sha256 }) => ticked.has(sha256)) }]
  })
  const tick = (name: Box['name'], isTicked: boolean) => {
    const next = new Set(ticked)
    for (const { sha256 } of boxes.find((box) => box.name === name)?.documents ?? []) {
      if (isTicked) next.add(sha256)
      else next.delete(sha256)
    }
    setTicked(next)
  }
  return {
    boxes,
    tick,
    missing: data === undefined ? 'unread' : (boxes.find((box) => !box.isTicked)?.name ?? null),
    consents: (data ?? []).map(({ document, sha256 }) => ({ document, sha256 })),
    renew: async () => {
      setTicked(new Set())
      await refetch()
    },
    isUnread: data === undefined && isError,
    isPending: isFetching,
  }
}

/** The boxes to tick. `isRefused`: the form was sent without one of them. */
export function AgreementFields({ agreement, isRefused }: { agreement: Agreement; isRefused: boolean }) {
  const { t } = useTranslation('legal')
  return (
    <div className={styles.boxes}>
      {agreement.isUnread && (
        <div className={styles.unread} role="status">
          <p>{t('agree.unread')}</p>
          <Button size="small" pending={agreement.isPending} onClick={() => void agreement.renew()}>
            {t('agree.retry')}
          </Button>
        </div>
      )}
      {agreement.boxes.map((box) => (
        <AgreementBox key={box.name} box={box} tick={agreement.tick} isRefused={isRefused && !box.isTicked} />
      ))}
    </div>
  )
}

function AgreementBox({
  box: { name, documents, isTicked },
  tick,
  isRefused,
}: {
  box: Box
  tick: Agreement['tick']
  isRefused: boolean
}) {
  const { t } = useTranslation('legal')
  const localPath = useLocalPath()
  const id = useId()
  return (
    <div className={styles.box}>
      <input
        id={id}
        type="checkbox"
        checked={isTicked}
        required
        aria-invalid={isRefused}
        aria-describedby={isRefused ? `${id}-error ${id}-links` : `${id}-links`}
        onChange={({ target }) => tick(name, target.checked)}
      />
      <label htmlFor={id}>{t(`agree.${name}`)}</label>
      <span id={`${id}-links`} className={styles.links}>
        {documents.map(({ document, title, is_draft: isDraft, language }) => (
          <span key={document}>
            <Link to={localPath(documentPaths[document])} target="_blank" lang={language}>
              {title}
            </Link>
            {isDraft && <span>{` ${t('agree.draft')}`}</span>}
          </span>
        ))}
      </span>
      {isRefused && (
        <span id={`${id}-error`} className={styles.error}>
          {t(`agree.missing.${name}`)}
        </span>
      )}
    </div>
  )
}
