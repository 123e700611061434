/**
 * Who operates an installation, as its terms and privacy pages say it. The pages are built once, and each installation
 * fills in its own: the edge puts its values, or words that they are missing, in the place of the marks.
 */

/** `text`: what is missing, in the words of the page. */
export const operatorFields = {
  name: { variable: 'SELLER_NAME', text: 'name of the company' },
  address: { variable: 'SELLER_ADDRESS', text: 'postal address' },
  contact: { variable: 'LEGAL_CONTACT', text: 'mail address for questions' },
  jurisdiction: { variable: 'LEGAL_JURISDICTION', text: 'governing law and courts' },
  effective: { variable: 'LEGAL_EFFECTIVE_DATE', text: 'date from which this applies' },
  processors: {
    variable: 'LEGAL_PROCESSORS',
    text: 'hosts of the image nodes and of their database, and the mail service',
  },
} as const;
export type OperatorField = keyof typeof operatorFields;
export type Operator = Readonly<Record<OperatorField, string | null>>;

const names = Object.keys(operatorFields) as readonly OperatorField[];

/** What stands in the built pages. */
export const operatorMark = (field: OperatorField): string => `⟦${field}⟧`;

export const operatorText = (field: OperatorField, value: string | null): string =>
  value ?? `[To be filled in by the operator: ${operatorFields[field].text}]`;

/** Variables that are not set. */
export const unsetOperator = (operator: Operator): readonly string[] =>
  names.filter((field) => operator[field] === null).map((field) => operatorFields[field].variable);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const marks = new RegExp(names.map(operatorMark).join('|'), 'g');

/** A built page with each mark replaced. One pass: what a value holds is text, even if it reads like a mark. */
export const withOperator = (html: string, operator: Operator): string =>
  html.replace(marks, (mark) => {
    const field = names.find((name) => operatorMark(name) === mark);
    return field ? escaped(operatorText(field, operator[field])) : mark;
  });
