import { useEffect } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { useTranslation } from '../state/i18n.ts'
import { onToasterMounted, toastMs } from '../state/toast.ts'
import 'sonner/dist/styles.css'
import './toaster.css'

/** A notification must not cover the sign-out button. */
const belowHeader = { top: 76, right: 16, left: 16 }

export default function Toaster() {
  const { t } = useTranslation('header')
  // Effects of children run first: the library has already subscribed.
  useEffect(() => onToasterMounted((kind, text) => toast[kind](text)), [])
  return (
    <Sonner
      position="top-right"
      duration={toastMs}
      containerAriaLabel={t('notifications.region')}
      visibleToasts={4}
      gap={8}
      offset={belowHeader}
      mobileOffset={belowHeader}
      closeButton
      toastOptions={{ closeButtonAriaLabel: t('notifications.close') }}
    />
  )
}
