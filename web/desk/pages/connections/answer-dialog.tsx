import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskInput } from '#contract/desk/contract'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { TextArea } from '../../../ui/fields/text-area.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { call } from '../../state/api.ts'
import styles from './connections.module.css'

type ComplaintAnswerInput = DeskInput<'complaint_answer'>

interface AnswerDialogProps {
  requestId: string
  /** The reason of the search, which applies to the answer too. */
  reason: string
  onClose: () => void
}

/** The answer to a complainant, as a text to copy into a letter. Composing it is recorded with a reason. */
export function AnswerDialog({ requestId, reason, onClose }: AnswerDialogProps) {
  const { t } = useTranslation('deskTraffic')
  const [language, setLanguage] = useState(useLanguage())
  const { isPending, error, data, mutate, reset } = useMutation({
    mutationFn: (asked: ComplaintAnswerInput) => call('complaint_answer', asked),
  })
  return (
    <ActDialog
      title={t('connections.answerTitle')}
      description={t('connections.answerText')}
      submit={t('connections.compose')}
      reason={reason === '' ? 'required' : 'none'}
      pending={isPending}
      fault={error?.message}
      onClose={onClose}
      onSubmit={(why) => mutate({ request_id: requestId, language, reason: reason === '' ? why : reason })}
    >
      <Segmented
        label={t('connections.language')}
        wide
        value={language}
        options={(['ru', 'en'] as const).map((value) => ({
          value,
          label: t(`connections.languages.${value}`),
        }))}
        onChange={(value) => {
          setLanguage(value)
          reset()
        }}
      />
      {data !== undefined && (
        <div className={styles.answer}>
          <TextArea label={t('connections.text')} rows={10} readOnly value={data.text} />
          <div>
            <CopyButton
              text={data.text}
              label={t('connections.copy')}
              copiedLabel={t('connections.copied')}
              failedLabel={t('connections.copyFailed')}
            />
          </div>
        </div>
      )}
    </ActDialog>
  )
}
