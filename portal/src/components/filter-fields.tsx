/** Small labelled fields above a list, by which it is narrowed. */

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onValue: (value: string) => void;
};

export const Choice = ({ label, value, options, onValue }: ChoiceProps) => (
  <label>
    <span class="label">{label}</span>
    <select class="input" value={value} onChange={(e) => onValue(e.currentTarget.value)}>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

type DayProps = Omit<ChoiceProps, 'options'> & { min?: string | undefined; max?: string | undefined };

export const Day = ({ label, value, onValue, min, max }: DayProps) => (
  <label>
    <span class="label">{label}</span>
    <input
      class="input"
      type="date"
      value={value}
      min={min}
      max={max}
      onChange={(e) => onValue(e.currentTarget.value)}
    />
  </label>
);
