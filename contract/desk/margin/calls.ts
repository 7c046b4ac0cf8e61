import { deskCall } from '../call.ts'

/** Margin: what used traffic earned less what it cost. */
export const marginDeskWire = {
  margin_report: deskCall({
    method: 'GET',
    path: '/margin_report',
    answer: 'json',
    needs: 'reports.read',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: true,
    body: null,
  }),
  exit_margins: deskCall({
    method: 'GET',
    path: '/exit_margins',
    answer: 'json',
    needs: 'reports.read',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: null,
  }),
}
