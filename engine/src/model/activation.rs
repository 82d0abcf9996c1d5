//! What bends the line? (f and σ of Eq. 1–3 and 7–10)

use crate::compute::{Real, kernel};

/// A nonlinear function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Leaves numbers as they are.
    Identity,
    /// max(0, x): f in the paper.
    Relu,
    /// tanh x: σ of the representation layer.
    Tanh,
    /// 1 / (1 + exp(−x)): σ of the score.
    Sigmoid,
}

impl Activation {
    /// The function.
    #[inline(always)]
    pub fn of<T: Real>(self, x: T) -> T {
        match self {
            Self::Identity => x,
            Self::Relu => x.larger(T::ZERO),
            // Written with exp(−2|x|) ≤ 1, so that nothing overflows and small numbers keep their digits.
            Self::Tanh => {
                let tail = (T::of(-2.0) * x.abs()).exp();
                let magnitude = (T::ONE - tail) / (T::ONE + tail);
                if x < T::ZERO { -magnitude } else { magnitude }
            }
            Self::Sigmoid => {
                let tail = (-x.abs()).exp();
                let above = T::ONE / (T::ONE + tail);
                if x < T::ZERO { tail * above } else { above }
            }
        }
    }

    /// Its slope, from the value it gave.
    #[inline(always)]
    pub fn slope<T: Real>(self, value: T) -> T {
        match self {
            Self::Identity => T::ONE,
            Self::Relu => {
                if value > T::ZERO {
                    T::ONE
                } else {
                    T::ZERO
                }
            }
            Self::Tanh => T::ONE - value * value,
            Self::Sigmoid => value * (T::ONE - value),
        }
    }

    /// Applies the function to every number.
    pub fn forward<T: Real>(self, numbers: &mut [T]) {
        match self {
            Self::Identity => {}
            Self::Relu => relu(numbers),
            Self::Tanh => tanh(numbers),
            Self::Sigmoid => sigmoid(numbers),
        }
    }

    /// Turns gradients of the values into gradients of what they were computed from.
    pub fn backward<T: Real>(self, values: &[T], gradient: &mut [T]) {
        match self {
            Self::Identity => {}
            Self::Relu => relu_slope(gradient, values),
            Self::Tanh => tanh_slope(gradient, values),
            Self::Sigmoid => sigmoid_slope(gradient, values),
        }
    }
}

/// A loop over many numbers as a kernel, and a loop over gradients beside it.
macro_rules! loops {
    ($activation:ident, $forward:ident, $backward:ident) => {
        kernel! {
            /// The function, of many numbers.
            pub fn $forward(numbers: &mut [T]) {
                for x in numbers {
                    *x = Activation::$activation.of(*x);
                }
            }
        }
        kernel! {
            /// Its slope, times many gradients.
            pub fn $backward(gradient: &mut [T], values: &[T]) {
                for (gradient, &value) in gradient.iter_mut().zip(values) {
                    *gradient *= Activation::$activation.slope(value);
                }
            }
        }
    };
}

loops!(Relu, relu, relu_slope);
loops!(Tanh, tanh, tanh_slope);
loops!(Sigmoid, sigmoid, sigmoid_slope);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};

    const ALL: [Activation; 4] =
        [Activation::Identity, Activation::Relu, Activation::Tanh, Activation::Sigmoid];

    #[test]
    fn values_are_those_of_the_textbook() {
        for x in [-800.0, -3.0, -1e-9, 0.0, 0.5, 40.0, 800.0f64] {
            assert!((Activation::Tanh.of(x) - x.tanh()).abs() < 1e-15, "{x}");
            assert!((Activation::Sigmoid.of(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-15, "{x}");
            assert_eq!(Activation::Relu.of(x), x.max(0.0));
        }
        assert!((Activation::Tanh.of(0.3f32) - 0.3f32.tanh()).abs() < 1e-6);
    }

    #[test]
    fn slopes_agree_with_finite_differences() {
        for activation in ALL {
            let at = numbers(20, 5);
            let mut values = at.clone();
            activation.forward(&mut values);
            let mut gradient = vec![1.0; at.len()];
            activation.backward(&values, &mut gradient);
            assert!(agrees(&at, &gradient, |x| x.iter().map(|&x| activation.of(x)).sum()), "{activation:?}");
        }
    }
}
