//! What the code and a run of it say together: control flow, loops, def-use chains; what calls read and wrote, which
//! loops ran how often, what each call covered.
